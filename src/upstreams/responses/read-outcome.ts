import type { Static, TSchema } from "typebox";
import { type CheckKind, forEachKind } from "../../operation/check-kind.ts";
import { isPlainId } from "../../operation/fields.ts";
import type { Log } from "../../runtime/log.ts";
import type { HttpResult } from "../http-client.ts";
import type { IdentityOutcome } from "../ports/identity-upstream.ts";
import { badResponse, saysNoMoney, unanswered, unavailable } from "../ports/outcomes.ts";
import { looseRecord, toIdentityRecord } from "./loose-record.ts";
import { responseParser } from "./parse-response.ts";

/** How a vendor answers a verification. */
interface Answers<Schema extends TSchema> {
  /** The vendor's name. */
  vendor: string;
  /** The outcome of an answer that reports a failure; undefined if the answer claims to contain a record. */
  failureIn(status: number, body: unknown, kind: CheckKind): IdentityOutcome | undefined;
  /** A good answer, and its record under the interface's names. */
  good: Schema;
  recordIn(answer: Static<Schema>): unknown;
  /** The vendor's own reference in a response, if it gives one. */
  referenceIn?(body: unknown): unknown;
}

/** Returns a function that turns the response to a verification of this kind into its outcome. */
export function outcomeReader<Schema extends TSchema>(
  { vendor, failureIn, good, recordIn, referenceIn }: Answers<Schema>,
  log: Log,
): (result: HttpResult, kind: CheckKind) => IdentityOutcome {
  const parse = responseParser(vendor, good, log);
  const parseRecord = forEachKind(
    (kind) => kind,
    (kind) => responseParser(vendor, looseRecord(kind), log),
  );
  const outcomeOf = (status: number, body: unknown, kind: CheckKind): IdentityOutcome => {
    const failure = failureIn(status, body, kind);
    if (failure) return failure;
    const answer = parse(body);
    const record = answer === undefined ? undefined : parseRecord[kind](recordIn(answer));
    if (record) return { kind: "verified", record: toIdentityRecord(kind, record, vendor, log) };
    return saysNoMoney(body) ? unavailable("no_money") : badResponse("shape");
  };
  return (result, kind) => {
    if (result.kind !== "answered") return unanswered(result);
    const outcome = outcomeOf(result.status, result.body, kind);
    const reference = referenceIn?.(result.body);
    return typeof reference === "string" && isPlainId(reference) ? { ...outcome, reference } : outcome;
  };
}
