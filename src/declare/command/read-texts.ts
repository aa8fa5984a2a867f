import type { TObject, TSchema, TSchemaOptions, TUnsafe } from "typebox";
import { holdsNumber } from "../../runtime/redact.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import { closestName } from "../closest-name.ts";
import Type from "../schema/type.ts";
import { type Form, remark } from "./forms.ts";

/** A file that a person chose. */
export interface ChosenFile {
  name: string;
  /** Its bytes, anew at each call: the caller may give them away. */
  read(): Promise<Uint8Array<ArrayBuffer>>;
}

/** What a person gave, by member: text, several texts, a flag that is set, or files. */
export type Texts = Readonly<Record<string, string | true | readonly string[] | readonly ChosenFile[] | undefined>>;

/** What the schema of a member says beside its type. */
export interface MemberOptions extends TSchemaOptions {
  description: string;
  /** What people call it. Default: the words of its name. */
  label?: string;
  /** Names the value in help and forms: "id or e-mail". */
  placeholder?: string;
  /** The text that stands for no text. Without it, and unless it is optional, the member is required. */
  default?: string;
  /** No other user of the machine may see it, so it is never on a command line. */
  private?: boolean;
  /** It may be of a person's home: the audit trail has it by a keyed hash only. */
  keyed?: true;
  /** People paste it, and it may be anything: it stands in no URL. */
  pasted?: boolean;
  /** Few people fill it in: a form folds it. */
  folded?: true;
  /** One line below its field, for a person whom the label does not tell enough. */
  hint?: string;
  /** Few words, of which none goes without saying: a form asks for one, and says what each means. */
  areEqual?: true;
  words?: Readonly<Record<string, string>>;
  /** What a filter says while no word is chosen. Default: "All". */
  unchosen?: string;
  /** It belongs to this flag: without the flag it is not read. */
  with?: string;
  /** It belongs to these values of the member `kind`: with another it is not read. */
  kinds?: readonly string[];
  /** The member of a row that it is about: a link from the row hands it on, as it hands on the target. */
  of?: string;
  /** Callers chose it, so ten or thirteen digits may be an order or a time. */
  ofCallers?: true;
  /** It names an identity vendor: those that the service asks come first. */
  isVendor?: true;
  /** A form offers words for it once it knows them, and leaves it out until then. */
  offered?: true;
  /** It stands for this setting. A user interface reads the settings with it. */
  setting?: string;
}

/** A member as its readers see it. */
export interface Member extends MemberOptions {
  type?: "string" | "boolean" | "array";
  enum?: readonly string[];
  items?: Member;
  form?: string;
  read?: Form<unknown>["read"];
  masks?: true;
  word?: string;
  /** `passkey`: what a browser made for it. No person writes that. */
  holds?: "file" | "passkey";
  minLength?: number;
}

/** A text of this form. The member has the value that the form reads. */
export function formed<Value>({ form, read, masks, hint, word }: Form<Value>, options: MemberOptions): TUnsafe<Value> {
  const said = { ...(masks && { masks }), ...(hint !== undefined && { hint }), ...(word !== undefined && { word }) };
  return Type.Unsafe<Value>({ type: "string", form, read, ...said, ...options });
}

/** A note for the audit trail. */
export const noteText = formed(remark, {
  description: "The note. Name no person of a BVN or NIN in it. Long numbers in it are not kept.",
  placeholder: "text",
  minLength: 1,
});

/** Files that the person chooses. */
export function files(options: MemberOptions): TUnsafe<readonly ChosenFile[]> {
  return Type.Unsafe<readonly ChosenFile[]>({ type: "array", items: { type: "string" }, holds: "file", ...options });
}

/** A flag: absent or true. */
export function flag(description: string, options: Partial<MemberOptions> = {}) {
  return Type.Optional(Type.Literal(true, { type: "boolean", description, ...options }));
}

export interface MemberError {
  /** The name of the member. */
  field: string;
  /** Completes "The member …": "must be …" or "is required". */
  message: string;
}

/** Values that a command cannot use: all problems of the members, or one sentence about several of them. */
export class InputError extends Error {
  readonly exitCode = 2;
  readonly problems: readonly MemberError[];

  constructor(problems: readonly MemberError[] | string) {
    super(
      typeof problems === "string" ? problems : problems.map(({ field, message }) => `${field} ${message}.`).join("\n"),
    );
    this.problems = typeof problems === "string" ? [] : problems;
  }
}

/** The members of an input, by name, with whether each must be there. */
export function membersOf({ properties, required }: TObject) {
  const needed = new Set<string>(required);
  return Object.entries(properties).map(([name, schema]) => {
    const member = schema as TSchema as Member;
    return { name, member, isRequired: needed.has(name) && member.default === undefined };
  });
}

/** Pages and statements repeat a text in each of its rows. */
const longestText = 2_000;

/**
 * Reads the texts of all members, with their defaults. Days are of the zone. Lists all problems at once, and repeats no
 * text.
 */
export function readTexts(
  schema: TObject,
  texts: Texts,
  zone: TimeZone,
): { input: Record<string, unknown>; problems: readonly MemberError[] } {
  const input: Record<string, unknown> = {};
  const problems: MemberError[] = [];
  for (const { name, member, isRequired } of membersOf(schema)) {
    const text = texts[name] ?? member.default;
    if (text === undefined || (Array.isArray(text) && text.length === 0)) {
      if (isRequired) problems.push({ field: name, message: "is required" });
      continue;
    }
    if (member.minLength && String(text).trim() === "") {
      problems.push({ field: name, message: "must not be empty" });
      continue;
    }
    if (!member.holds && [text].flat().some((each) => typeof each === "string" && each.length > longestText)) {
      problems.push({ field: name, message: "must have at most 2,000 characters" });
      continue;
    }
    const values = (Array.isArray(text) ? text : [text]).map((each) => valueIn(member.items ?? member, each, zone));
    if (values.some((value) => isPlain(member) && isOfPerson(value, member))) {
      const digits = member.ofCallers ? "11" : "ten or more";
      problems.push({ field: name, message: `must not hold a number of ${digits} digits, which may be a person's` });
      continue;
    }
    if (values.includes(undefined)) {
      const wrong = [text].flat()[values.indexOf(undefined)];
      problems.push({ field: name, message: `must be ${formOf(member.items ?? member)}${meant(member, wrong)}` });
    } else input[name] = member.type === "array" ? values : values[0];
  }
  return { input, problems };
}

/** Whether it is text of no form, which is kept, shown or looked for as it is. */
function isPlain({ items, ...member }: Member): boolean {
  const { type, read, enum: words, holds, private: isPrivate, pasted } = { ...member, ...items };
  return type === "string" && !read && !words && !holds && !isPrivate && !pasted;
}

/** Callers number orders and times with ten digits and more, so of what they chose only eleven are a BVN or NIN. */
const numberOfCallers = /(?<![\p{L}\p{N}])\p{Nd}{11}(?![\p{L}\p{N}])/u;

function isOfPerson(text: unknown, { ofCallers }: Member): boolean {
  return ofCallers ? numberOfCallers.test(String(text)) : holdsNumber(String(text), { apart: true });
}

/** Completes "must be …". */
export function formOf({ form, enum: words, description }: Member): string {
  if (form !== undefined) return form;
  return words ? `one of ${words.join(", ")}` : `text: ${description}`;
}

/** The word that a person meant perhaps, after all that there are. */
function meant({ items, ...member }: Member, wrong: unknown): string {
  const { enum: words = [], form } = { ...member, ...items };
  const word = form === undefined && typeof wrong === "string" ? closestName(wrong, words) : undefined;
  return word === undefined ? "" : ` (did you mean ${word}?)`;
}

function valueIn(member: Member, text: unknown, zone: TimeZone): unknown {
  if (typeof text !== "string") return text;
  if (member.read) return member.read(text, zone);
  if (member.enum) return member.enum.includes(text) ? text : undefined;
  return text;
}
