import type { Static, TSchema } from "typebox";
import type { CheckInput, Members } from "../../checks/check.ts";
import { checks } from "../../checks/index.ts";
import { type CheckKind, forEachKind } from "../../declare/check-kind.ts";
import type { Log } from "../../runtime/log.ts";
import type { IdentityOutcome, OutcomeFacts } from "../ports/identity-upstream.ts";
import { badResponse, unanswered } from "../ports/outcomes.ts";
import type { HttpResult } from "../vendor-client.ts";
import { responseParser } from "./parse-response.ts";
import { outcomeInWords } from "./vendor-words.ts";

/** Facts of a response, not yet checked. */
export interface SaidFacts {
  reference?: unknown;
  billed?: OutcomeFacts["billed"] | undefined;
  /** Kobo. */
  balance?: number | undefined;
}

/** How to read a vendor's responses to a verification. */
export interface VendorResponses<Schema extends TSchema> {
  /** The vendor's name. */
  vendor: string;
  /** The outcome of a response that reports a failure; undefined if the response claims to contain a record. */
  failureIn(status: number, body: unknown, kind: CheckKind): IdentityOutcome | undefined;
  /** A good response, and its record under the interface's names. */
  good: Schema;
  recordIn(response: Static<Schema>, asked: CheckInput): unknown;
  /** Facts that accompany this outcome. A reference is kept only if it contains nothing of the person. */
  factsIn?(body: unknown, outcome: IdentityOutcome): SaidFacts;
}

/** Returns a function that reads a response as an outcome. */
export function outcomeReader<Schema extends TSchema>(
  { vendor, failureIn, good, recordIn, factsIn }: VendorResponses<Schema>,
  log: Log,
): (result: HttpResult, asked: CheckInput) => Promise<IdentityOutcome> {
  const parse = responseParser(vendor, good, log);
  const parsers: Record<CheckKind, (given: unknown) => Members | undefined> = forEachKind(
    (kind) => kind,
    (kind) => responseParser(vendor, checks[kind].least, log),
  );
  const outcomeOf = async (status: number, body: unknown, asked: CheckInput): Promise<IdentityOutcome> => {
    const { kind } = asked;
    const failure = failureIn(status, body, kind);
    if (failure) return failure;
    const response = parse(body);
    const record = response === undefined ? undefined : parsers[kind](recordIn(response, asked));
    if (record) return { state: "verified", record: await checks[kind].read(record, { vendor, log }) };
    const inWords = outcomeInWords(body);
    return inWords && inWords.state !== "negative" ? inWords : badResponse("shape");
  };
  return async (result, asked) => {
    if (result.kind !== "answered") return withStatus(unanswered(result), result);
    const outcome = withStatus(await outcomeOf(result.status, result.body, asked), result);
    const { reference: given, ...said } = factsIn?.(result.body, outcome) ?? {};
    const facts = { reference: keptReference(given, asked), ...said };
    return { ...outcome, ...Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined)) };
  };
}

/** Adds the HTTP status, and the wait that the response asks for. */
function withStatus(outcome: IdentityOutcome, result: HttpResult): IdentityOutcome {
  return "status" in result ? { ...withWait(outcome, result), httpStatus: result.status } : outcome;
}

/** Adds the wait that a 429 or 503 asks for. */
export function withWait(outcome: IdentityOutcome, result: HttpResult): IdentityOutcome {
  if (!("status" in result) || (result.status !== 429 && result.status !== 503)) return outcome;
  const retryAfter = waitIn(result.headers?.["retry-after"]);
  return retryAfter === undefined ? outcome : { ...outcome, retryAfter };
}

/**
 * Returns a vendor's reference as text. Undefined if it contains the number or a claim of the attempt, or if it is not
 * a reference.
 */
export function keptReference(given: unknown, { number, claims = {} }: Partial<CheckInput>): string | undefined {
  const text = typeof given === "number" ? String(given) : typeof given === "string" ? given.trim() : "";
  if (!/^[!-~]{1,64}$/.test(text)) return undefined;
  const bare = text.replaceAll(/[^A-Za-z0-9]/g, "").toUpperCase();
  const holds = (own = "") => own !== "" && bare.includes(own.replaceAll(/[^A-Za-z0-9]/g, "").toUpperCase());
  return [number, ...Object.values(claims)].some(holds) ? undefined : text;
}

const longestWait = 3_600;

/** Reads `Retry-After`, a number or a date, as seconds. Undefined without one. */
function waitIn(text: string | undefined, now = Date.now()): number | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - now) / 1000);
  return seconds > 0 ? Math.min(seconds, longestWait) : undefined;
}
