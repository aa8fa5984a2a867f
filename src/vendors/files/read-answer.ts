import type { CheckInput, Members } from "../../checks/check.ts";
import type { CheckKind } from "../../declare/check-kind.ts";
import Type from "../../declare/schema/type.ts";
import { plain } from "../../runtime/plain-text.ts";
import type { IdentityOutcome } from "../ports/identity-upstream.ts";
import { failedWith, negative, unavailable, unknown } from "../ports/outcomes.ts";
import { koboIn } from "../responses/billing.ts";
import type { SaidFacts, VendorResponses } from "../responses/read-outcome.ts";
import { membersIn, vendorRecord } from "../responses/vendor-record.ts";
import { explanations, failureOutcome, type OwnWords, phraseMatcher } from "../responses/vendor-words.ts";
import { type Case, type Ending, listOf, noWork, type Pointers, type Says, type VendorFile } from "./vendor-file.ts";

const isNoWork = (saying: string): saying is (typeof noWork)[number] => noWork.some((one) => one === saying);

/** The outcome of each saying, in the order in which they are looked for: what is about the person comes last. */
function meaningsOf({ found: _, failed: __, unclear, ...says }: Says): [IdentityOutcome, readonly Case[]][] {
  const named = Object.entries(says) as [Exclude<keyof typeof says, undefined>, readonly Case[]][];
  const [own, others] = [named.filter(([saying]) => isNoWork(saying)), named.filter(([saying]) => !isNoWork(saying))];
  return [
    ...own.map(([saying, cases]) => [unavailable(saying as (typeof noWork)[number]), cases] as const),
    ...(unclear ? [[unknown, unclear] as const] : []),
    ...others.map(([saying, cases]) => [negative(saying as Parameters<typeof negative>[0]), cases] as const),
  ] as [IdentityOutcome, readonly Case[]][];
}

/** How Duba reads the answers of a vendor that is a file. */
export function responsesOf(file: VendorFile): VendorResponses<ReturnType<typeof Type.Unknown>> {
  const readers = new Map(
    Object.entries(file.kinds).map(([kind, of]) => [kind, saysReader({ ...file.says, ...of!.says }, file)]),
  );
  const readerOf = (kind: CheckKind) => readers.get(kind)!;
  return {
    vendor: file.name,
    good: Type.Unknown(),
    failureIn: (status, body, kind) => readerOf(kind).failureIn(status, body),
    recordIn: (body, asked) => (readerOf(asked.kind).isFound(body) ? recordIn(file, body, asked) : undefined),
    factsIn: (body, outcome) => factsIn(file, body, outcome),
  };
}

/** What an access token's answer without a token says, if the file has it. */
export function tokenFault(file: VendorFile, status: number, body: unknown): (typeof noWork)[number] | undefined {
  const meanings = meaningsOf(file.says ?? {}).filter(([, cases]) => cases.some((each) => isSo(each, status, body)));
  const [found] = meanings.map(([outcome]) => outcome).filter((outcome) => outcome.state === "failed");
  return found && isNoWork(found.reason) ? found.reason : undefined;
}

function saysReader(says: Says, file: VendorFile) {
  const { found = [], failed } = says;
  const meanings = meaningsOf(says);
  const ownWords: OwnWords = meanings.flatMap(([means, cases]) =>
    cases.filter(isOnlyWords).map(({ words }) => ({ means, words: phraseMatcher(listOf(words)) }) as OwnWords[number]),
  );
  const coded = meanings.map(([means, cases]) => [means, cases.filter((each) => !isOnlyWords(each))] as const);
  // A found member with another value is a failure that explains itself.
  const isFailed = failed
    ? (status: number, body: unknown) => failed.some((each) => isSo(each, status, body))
    : (_: number, body: unknown) =>
        found.some(({ member, is }) => member !== undefined && is !== undefined && isSo({ member, not: is }, 0, body));

  return {
    isFound: (body: unknown) => found.every((each) => isSo(each, 200, body)),

    failureIn(http: number, body: unknown): IdentityOutcome | undefined {
      const own = ownStatus(file, body);
      const status = own !== undefined && http < 500 ? own : http;
      const held = coded.find(([, cases]) => cases.some((each) => mayCount(each, status) && isSo(each, status, body)));
      // A server's failure says nothing, unless the file names its status.
      if (status >= 500) return held?.[0] ?? failedWith(status);
      const told = ownWords.length === 0 ? [] : explanations(body);
      const isInWords = ownWords.some(({ words }) => told.some((text) => words.test(text)));
      if (status < 300 && http < 300 && !held && !isInWords && !isFailed(status, body)) return undefined;
      // A good answer with a failure's status explains nothing.
      if (status < 300 && http >= 300) return failedWith(http);
      return failureOutcome(status, body, held?.[0], ownWords);
    },
  };
}

const isOnlyWords = ({ status, member, words }: Case) => words !== undefined && status === undefined && !member;

const mayCount = ({ status }: Case, given: number) => given < 500 || status !== undefined;

function ownStatus({ status }: VendorFile, body: unknown): number | undefined {
  const given = plain(firstAt(body, status));
  return /^[1-5]\d\d$/.test(given) ? Number(given) : undefined;
}

function isSo({ status, member, is, not, words }: Case, given: number, body: unknown): boolean {
  if (status !== undefined && !listOf(status).includes(given)) return false;
  const value = firstAt(body, member);
  const isThere = value !== undefined && value !== false;
  if (member !== undefined && is === undefined && not === undefined && words === undefined && !isThere) return false;
  if (is !== undefined && !listOf(member).some((at) => listOf(is).some((each) => isSame(each, valueAt(body, at)))))
    return false;
  if (not !== undefined && (value === undefined || listOf(not).some((each) => isSame(each, value)))) return false;
  if (words === undefined) return true;
  const matcher = matcherOf(words);
  const told = member === undefined ? explanations(body) : explanations(value);
  return told.some((text) => matcher.test(text));
}

const matchers = new Map<string | readonly string[], RegExp>();

/** Kept: a vendor's words are the same in each answer. */
function matcherOf(words: string | readonly string[]): RegExp {
  let matcher = matchers.get(words);
  if (!matcher) {
    matcher = phraseMatcher(listOf(words));
    matchers.set(words, matcher);
  }
  return matcher;
}

/** Vendors write a code as a number or as a text, and a word in any case. */
function isSame(named: unknown, given: unknown): boolean {
  if (named === null || given === null || given === undefined) return named === (given ?? null) && given !== undefined;
  return typeof given !== "object" && String(named).toLowerCase() === String(given).trim().toLowerCase();
}

function recordIn({ kinds }: VendorFile, body: unknown, asked: CheckInput): Members | undefined {
  const { in: places, members = {} } = kinds[asked.kind]!.record;
  const objects = listOf(places)
    .map((each) => valueAt(body, each))
    .map((found) => (Array.isArray(found) ? found[0] : found));
  const spelled = vendorRecord(Object.assign({}, ...objects.toReversed().map((each) => givenMembers(each))));
  if (places !== undefined && objects.every((each) => typeof each !== "object" || each === null)) return undefined;
  const named = Object.fromEntries(
    Object.entries(members).map(([name, at]) => [name, firstAt(body, at, asked.number)]),
  );
  const person = { ...(spelled.personal_info as Members), ...named };
  return { ...spelled, ...named, personal_info: person, residential_info: person };
}

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== "";

const givenMembers = (found: unknown) =>
  Object.fromEntries(Object.entries(membersIn(found)).filter(([, value]) => isGiven(value)));

function factsIn({ billed = {}, reference, balance }: VendorFile, body: unknown, outcome: IdentityOutcome): SaidFacts {
  return {
    reference: firstAt(body, reference),
    billed: billed[endingOf(outcome)],
    balance: balance === undefined ? undefined : koboIn(firstAt(body, balance)),
  };
}

/** An outcome in the words of a file. */
export function endingOf(outcome: IdentityOutcome): Ending | "rejected" {
  if (outcome.state === "verified") return "found";
  if (outcome.state === "negative") return outcome.reason as Ending;
  if (outcome.state === "unknown") return "unclear";
  return isNoWork(outcome.reason) ? outcome.reason : "rejected";
}

/** The first value that is given at these JSON pointers; `{number}` is the number that was asked about. */
export function firstAt(body: unknown, at: Pointers | undefined, number?: string): unknown {
  return listOf(at)
    .map((each) => (each === "{number}" ? number : valueAt(body, each)))
    .find(isGiven);
}

/** The value at a JSON pointer (RFC 6901); undefined if there is none. */
function valueAt(body: unknown, at: string): unknown {
  return stepsOf(at).reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, step) ? (value as Members)[step] : undefined,
    body,
  );
}

const known = new Map<string, readonly string[]>();

/** Kept: a vendor's pointers are the same in each answer. */
function stepsOf(at: string): readonly string[] {
  let steps = known.get(at);
  if (!steps) {
    const names = at.split("/").slice(1);
    steps = names.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    known.set(at, steps);
  }
  return steps;
}
