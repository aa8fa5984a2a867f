import type { Members } from "../../checks/check.ts";
import type { CheckKind } from "../../declare/check-kind.ts";
import Type from "../../declare/schema/type.ts";
import { plain } from "../../runtime/plain-text.ts";
import type { IdentityOutcome } from "../ports/identity-upstream.ts";
import { failedWith, negative, unavailable, unknown } from "../ports/outcomes.ts";
import { koboIn } from "../responses/billing.ts";
import type { SaidFacts, VendorResponses } from "../responses/read-outcome.ts";
import { givenMembers, recordWith } from "../responses/vendor-record.ts";
import { explanations, phraseMatcher, toldOutcome, wordsTable } from "../responses/vendor-words.ts";
import { finderAt, firstFinder } from "./find-value.ts";
import { type Case, type Ending, type FileKind, listOf, noWork, type Says, type VendorFile } from "./vendor-file.ts";

const isNoWork = (saying: string): saying is (typeof noWork)[number] => noWork.some((one) => one === saying);

/** A vendor's answer, to compare with the cases of its file. `told`: the texts that explain the answer. */
class Answer {
  readonly status: number;
  readonly body: unknown;
  #told: string[] | undefined;

  constructor(status: number, body: unknown) {
    this.status = status;
    this.body = body;
  }

  get told(): string[] {
    this.#told ??= explanations(this.body);
    return this.#told;
  }
}

/** Whether an answer fits a case. */
type IsSo = (answer: Answer) => boolean;

/** Prepares a file's cases once, and returns a reader for the vendor's answers. */
export function responsesOf(file: VendorFile): VendorResponses<ReturnType<typeof Type.Unknown>> {
  const { billed = {}, name, balance } = file;
  const readers = Object.fromEntries(
    Object.entries(file.kinds).map(([kind, of]) => [
      kind,
      { ...saysReader({ ...file.says, ...of!.says }, file), recordIn: recordReader(of!) },
    ]),
  ) as Record<CheckKind, ReturnType<typeof saysReader> & { recordIn: ReturnType<typeof recordReader> }>;
  const [referenceIn, balanceIn] = [firstFinder(file.reference), firstFinder(balance)];
  return {
    vendor: name,
    good: Type.Unknown(),
    failureIn: (status, body, kind) => readers[kind].failureIn(status, body),
    recordIn: (body, { kind, number }) =>
      readers[kind].isFound(body) ? readers[kind].recordIn(body, number) : undefined,
    factsIn: (body, outcome) => ({
      reference: referenceIn(body),
      billed: (billed as Readonly<Partial<Record<string, SaidFacts["billed"]>>>)[endingOf(outcome)],
      balance: balance === undefined ? undefined : koboIn(balanceIn(body)),
    }),
  };
}

/** Returns a function that reads why an authorization gave no token, if the file has such cases. */
export function tokenFaultReader({ says = {} }: VendorFile) {
  const faults = meaningsOf(says).flatMap(({ means, cases }) =>
    means.state === "failed" && isNoWork(means.reason) ? { reason: means.reason, isSo: anyOf(cases) } : [],
  );
  return (status: number, body: unknown): (typeof noWork)[number] | undefined => {
    const answer = new Answer(status, body);
    return faults.find(({ isSo }) => isSo(answer))?.reason;
  };
}

/** Returns all cases of a kind in the order of the file: the place of each, and whether an answer fits the case. */
export function casesThatHold({ says = {}, kinds }: VendorFile, kind: CheckKind, status: number, body: unknown) {
  const own = kinds[kind]?.says ?? {};
  const answer = new Answer(status, body);
  return Object.entries<readonly Case[] | undefined>({ ...says, ...own }).flatMap(([word, cases = []]) =>
    cases.map((each, at) => ({
      word,
      place: `${word in own ? `/kinds/${kind}` : ""}/says/${word}/${at}`,
      isSo: caseReader(each)(answer),
    })),
  );
}

/** Returns outcomes with their cases, in the order of testing. Outcomes about the person come last. */
function meaningsOf({ found: _, failed: __, unclear, ...says }: Says) {
  const named = Object.entries(says) as [Exclude<keyof typeof says, undefined>, readonly Case[]][];
  const own = named.flatMap(([saying, cases]) => (isNoWork(saying) ? { means: unavailable(saying), cases } : []));
  const others = named.flatMap(([saying, cases]) => (isNoWork(saying) ? [] : { means: negative(saying), cases }));
  return [...own, ...(unclear ? [{ means: unknown, cases: unclear }] : []), ...others];
}

function saysReader(says: Says, file: VendorFile) {
  const { found = [], failed } = says;
  const meanings = meaningsOf(says);
  const ownWords = meanings.flatMap(({ means, cases }) =>
    cases.filter(isOnlyWords).map(({ words }) => ({ means, words: phraseMatcher(listOf(words)) })),
  );
  const table = wordsTable(ownWords);
  const coded = meanings.flatMap(({ means, cases }) => {
    const others = cases.filter((each) => !isOnlyWords(each));
    if (others.length === 0) return [];
    // A status of 500 or above counts only if the file names it.
    return { means, isSo: anyOf(others), isSoOfServer: anyOf(others.filter(({ status }) => status !== undefined)) };
  });
  const isFound = allOf(found.map(caseReader));
  // Without `failed` cases, an answer fails if a member of the `found` cases has another value.
  const isFailed = anyOf(
    failed ?? found.flatMap(({ member, is }) => (member === undefined || is === undefined ? [] : { member, not: is })),
  );
  const statusIn = firstFinder(file.status);

  return {
    isFound: (body: unknown) => isFound(new Answer(200, body)),

    failureIn(http: number, body: unknown): IdentityOutcome | undefined {
      const own = http < 500 ? statusOf(statusIn(body)) : undefined;
      const status = own ?? http;
      const answer = new Answer(status, body);
      const held = coded.find(({ isSo, isSoOfServer }) => (status >= 500 ? isSoOfServer : isSo)(answer))?.means;
      if (status >= 500) return held ?? failedWith(status);
      const isGood = status < 300 && http < 300 && !held && !isFailed(answer);
      if (isGood && !ownWords.some(({ words }) => answer.told.some((text) => words.test(text)))) return undefined;
      // The body's status says success, and the HTTP status says failure: the body explains nothing.
      if (status < 300 && http >= 300) return failedWith(http);
      return toldOutcome(status, answer.told, { byCode: held, words: table });
    },
  };
}

const isOnlyWords = ({ status, member, words }: Case) => words !== undefined && status === undefined && !member;

function statusOf(given: unknown): number | undefined {
  if (given === undefined) return undefined;
  const text = plain(given);
  return /^[1-5]\d\d$/.test(text) ? Number(text) : undefined;
}

function anyOf(cases: readonly Case[]): IsSo {
  const all = cases.map(caseReader);
  const [only] = all;
  return only && all.length === 1 ? only : (answer) => all.some((isSo) => isSo(answer));
}

function allOf(all: readonly IsSo[]): IsSo {
  const [only] = all;
  return only && all.length === 1 ? only : (answer) => all.every((isSo) => isSo(answer));
}

function caseReader({ status, member, is, not, words }: Case): IsSo {
  const find = firstFinder(member);
  const each = listOf(member).map(finderAt);
  const parts: IsSo[] = [];
  if (status !== undefined) {
    const statuses = listOf(status);
    parts.push((answer) => statuses.includes(answer.status));
  }
  if (is !== undefined) {
    const isOne = sameAs(is);
    parts.push(({ body }) => each.some((findAt) => isOne(findAt(body))));
  }
  if (not !== undefined) {
    const isOne = sameAs(not);
    parts.push(({ body }) => {
      const value = find(body);
      return value !== undefined && !isOne(value);
    });
  }
  if (words !== undefined) {
    const matcher = phraseMatcher(listOf(words));
    const toldIn = (answer: Answer) => (member === undefined ? answer.told : explanations(find(answer.body)));
    parts.push((answer) => toldIn(answer).some((text) => matcher.test(text)));
  }
  if (member !== undefined && is === undefined && not === undefined && words === undefined)
    parts.push(({ body }) => {
      const value = find(body);
      return value !== undefined && value !== false;
    });
  return allOf(parts);
}

/** Vendors write a code as a number or as text, and words in upper or lower case. */
function sameAs(named: Exclude<Case["is"], undefined>): (given: unknown) => boolean {
  const all = listOf<unknown>(named);
  const texts = all.filter((each) => each !== null).map((each) => String(each).toLowerCase());
  return (given) =>
    typeof given === "string" && texts.includes(given)
      ? true
      : given === null
        ? all.includes(null)
        : given !== undefined && typeof given !== "object" && texts.includes(String(given).trim().toLowerCase());
}

function recordReader({ record: { in: places, members = {} } }: Pick<FileKind, "record">) {
  const objects = listOf(places).map(finderAt);
  const named = Object.entries(members).map(([name, at]) => [name, firstFinder(at)] as const);
  return (body: unknown, number: string): Members | undefined => {
    const found = objects.map((find) => {
      const value = find(body);
      return Array.isArray(value) ? value[0] : value;
    });
    if (places !== undefined && found.every((each) => typeof each !== "object" || each === null)) return undefined;
    const record = givenMembers(found);
    for (const [name, find] of named) record[name] = find(body, number);
    return recordWith(record);
  };
}

/** Returns the word of an outcome in vendor files. */
export function endingOf(outcome: IdentityOutcome): Ending | "rejected" {
  if (outcome.state === "verified") return "found";
  if (outcome.state === "negative") return outcome.reason as Ending;
  if (outcome.state === "unknown") return "unclear";
  return isNoWork(outcome.reason) ? outcome.reason : "rejected";
}
