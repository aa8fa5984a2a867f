import spellings from "../../data/names/spellings.json" with { type: "json" };
import { months, type PersonRecord, shortDate } from "../declare/identity-record.ts";

/** The rules are in docs/names.md. `absent`: the record has no such member. */
export type MatchResult = "match" | "near" | "differs" | "unreadable" | "absent";

/** Longer texts are no names, and comparing them would take long. */
export const longestName = 100;

const otherLetters: Readonly<Record<string, string>> = { Ɓ: "B", Ɗ: "D", Ƙ: "K", Ƴ: "Y" };

const firstSpelling = new Map(
  spellings.flatMap(({ names }) => names.map((name) => [name.toUpperCase(), names[0]!.toUpperCase()] as const)),
);

/** Letters that people write in two ways for one sound. */
const sounds: readonly (readonly [RegExp, string])[] = [
  [/SH/g, "S"],
  [/PH/g, "F"],
  [/KH|Q/g, "K"],
  [/TH/g, "T"],
  [/DH/g, "D"],
  [/([KG])W/g, "$1"],
  [/OO|OU/g, "U"],
  [/EE|Y/g, "I"],
  [/(.)\1+/g, "$1"],
  [/(?<=[AEIOU])H$|(?<=A)TU?$|(?<=[^AEIOU])U$/, ""],
];

/** Compares the members in the request with the record that the API client gets. */
export function comparePerson(
  { personal_info: { first_name, middle_name, last_name, date_of_birth } }: PersonRecord,
  sent: Readonly<Record<string, string>>,
): Record<string, MatchResult> {
  const [first, middle, last] = [first_name, middle_name, last_name].map((name) => nameWords(name) ?? []) as [
    string[],
    string[],
    string[],
  ];
  const all = [...first, ...middle, ...last];
  const compared: Record<string, (text: string) => MatchResult> = {
    first_name: (text) => compareNames(nameWords(text), first, [...first, ...middle], all),
    last_name: (text) => compareNames(nameWords(text), last, last, all),
    date_of_birth: (text) => compareDays(dayOf(text), dayOf(date_of_birth)),
  };
  return Object.fromEntries(Object.entries(sent).map(([member, text]) => [member, compared[member]!(text)]));
}

/** `own`: the record's words of this member. `more`: these words and those that may follow. */
function compareNames(
  sent: readonly string[] | undefined,
  own: readonly string[],
  more: readonly string[],
  all: readonly string[],
): MatchResult {
  if (!sent) return "unreadable";
  if (own.length === 0) return "absent";
  if ([own, more].some((words) => spelled(words) === spelled(sent))) return "match";
  const isNear =
    sent.every((word) => all.some((other) => isAlike(word, other))) ||
    own.every((word) => sent.some((other) => isAlike(word, other))) ||
    isAlike(sent.join(""), own.join(""));
  return isNear ? "near" : "differs";
}

function compareDays(sent: string | undefined, own: string | undefined): MatchResult {
  if (sent === undefined) return "unreadable";
  if (own === undefined) return "absent";
  return sent === own ? "match" : "differs";
}

/** The words of a name in capitals, without marks; undefined for a text that is no name in Latin letters. */
export function nameWords(name: string): string[] | undefined {
  if (name.length > longestName) return undefined;
  const plain = name
    .replaceAll(/['’‘ʼʹ`´]/g, "")
    .normalize("NFKD")
    .replaceAll(/[\p{M}\p{Cf}]/gu, "")
    .toUpperCase()
    .replaceAll(/[ƁƊƘƳ]/g, (letter) => otherLetters[letter]!);
  const words = plain.split(/[\s.,\p{Pd}]+/u).filter((word) => word !== "");
  return words.length > 0 && words.every((word) => /^[A-Z]+$/.test(word)) ? words : undefined;
}

/** The letters of a name in the first of their listed spellings. */
function spelled(words: readonly string[]): string {
  const inFirst = (word: string) => firstSpelling.get(word) ?? word;
  return inFirst(words.map(inFirst).join(""));
}

function isAlike(word: string, other: string): boolean {
  return (
    spelled([word]) === spelled([other]) ||
    soundOf(word) === soundOf(other) ||
    ((word.length === 1 || other.length === 1) && word[0] === other[0]) ||
    lacksLetter(word, other) ||
    lacksLetter(other, word)
  );
}

function soundOf(word: string): string {
  return sounds.reduce((text, [written, sound]) => text.replace(written, sound), word);
}

/** Whether removing one inner letter from `longer`, which has five letters or more, gives `shorter`. */
function lacksLetter(shorter: string, longer: string): boolean {
  if (longer.length < 5 || shorter.length !== longer.length - 1) return false;
  let same = 0;
  while (shorter[same] === longer[same]) same += 1;
  return same > 0 && same < shorter.length && shorter.slice(same) === longer.slice(same + 1);
}

/** Date formats in which nobody can confuse the day with the month. */
const dayForms = [
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)$/,
  /^(?<day>\d{1,2})[- ](?<month>[A-Za-z]{3,9})[- ](?<year>\d{4})$/,
  /^(?<month>[A-Za-z]{3,9}) (?<day>\d{1,2}), (?<year>\d{4})$/,
];

/** A day in the form of records. Undefined for a text of another form, and for a day that no calendar has. */
function dayOf(text: string): string | undefined {
  const found = dayForms.map((form) => form.exec(text.trim())?.groups).find(Boolean);
  if (!found) return undefined;
  const [day, year, written] = [Number(found.day), Number(found.year), found.month!.toLowerCase()];
  const named = months.findIndex((name) => [name, name.slice(0, 3)].some((each) => each.toLowerCase() === written));
  const month = /\d/.test(written) ? Number(written) - 1 : named;
  const date = new Date(Date.UTC(year, month, day));
  return date.getUTCMonth() === month && date.getUTCDate() === day ? shortDate({ day, month, year }) : undefined;
}
