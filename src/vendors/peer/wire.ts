import { type CheckKind, forEachNegative, negativeReasons } from "../../declare/check-kind.ts";
import type { FailureCode } from "../../declare/failures.ts";
import { modeHeader } from "../../declare/operation.ts";
import Type from "../../declare/schema/type.ts";
import type { Log } from "../../runtime/log.ts";
import type { IdentityOutcome } from "../ports/identity-upstream.ts";
import { badResponse, didNoWork, negative, unavailable, unknown, unknownBecause } from "../ports/outcomes.ts";
import { notFoundMayBeBilled } from "../responses/billing.ts";
import type { SaidFacts } from "../responses/read-outcome.ts";
import { membersIn } from "../responses/vendor-record.ts";
import { failureOutcome } from "../responses/vendor-words.ts";
import type { HttpResult } from "../vendor-client.ts";

/** A good response to a verification. */
export const PeerResponse = Type.Object({
  success: Type.Union([Type.Literal(true), Type.Literal("true")]),
  data: Type.Unknown(),
});

/** A good response to an authorization. `expires_at` is in UTC. */
export const Authorized = Type.Object({
  success: Type.Literal(true),
  data: Type.Object({
    token: Type.Object({
      access_token: Type.String({ pattern: "^[!-~]+$" }),
      expires_at: Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$" }),
    }),
  }),
});

/**
 * The outcome for each failure code of a Duba. Only some codes mean that no work was done.
 * - `verification_failed` rejects the number or the phone. We read it as `not_found`, because `phone_mismatch` would
 *   confirm that the number exists. With such a server, set DUBA_NEGATIVE_DETAIL=coarse here as well.
 * - `idempotency_key_reused` and `record_no_longer_held` concern an earlier attempt, which may have been charged.
 */
const outcomes: Record<FailureCode, IdentityOutcome> = {
  ...forEachNegative(negative),
  verification_failed: negative("not_found"),

  missing_credentials: unavailable("bad_credentials"),
  invalid_credentials: unavailable("bad_credentials"),
  expired_credentials: unavailable("bad_credentials"),
  insufficient_scope: unavailable("bad_credentials"),
  address_not_allowed: unavailable("bad_credentials"),

  spending_cap_reached: unavailable("no_money"),
  balance_too_low: unavailable("no_money"),

  amount_mismatch: unavailable("bad_settings"),
  consent_required: unavailable("bad_settings"),
  upstream_not_configured: unavailable("bad_settings"),
  operation_retired: unavailable("bad_settings"),
  route_not_found: unavailable("bad_settings"),
  not_offered: unavailable("bad_settings"),
  provider_not_found: unavailable("bad_settings"),
  product_not_found: unavailable("bad_settings"),
  verification_not_found: unavailable("bad_settings"),
  request_not_found: unavailable("bad_settings"),
  endpoint_not_found: unavailable("bad_settings"),
  endpoint_exists: unavailable("bad_settings"),
  too_many_endpoints: unavailable("bad_settings"),
  event_not_found: unavailable("bad_settings"),
  method_not_allowed: unavailable("bad_settings"),
  unsupported_media_type: unavailable("bad_settings"),
  malformed_json: unavailable("bad_settings"),

  // One bad attempt must not raise an alarm.
  validation_failed: unavailable("refused"),
  malformed_request: unavailable("refused"),
  conflicting_parameters: unavailable("refused"),
  invalid_idempotency_key: unavailable("refused"),
  body_too_large: unavailable("refused"),
  uri_too_long: unavailable("refused"),
  headers_too_large: unavailable("refused"),
  expectation_failed: unavailable("refused"),
  // Not lasting: this limit ends by itself.
  subject_rate_limited: { state: "failed", reason: "refused" },

  rate_limited: unavailable("rate_limited"),
  too_many_in_flight: unavailable("rate_limited"),
  request_timeout: unavailable("out_of_service"),
  upstream_unavailable: unavailable("out_of_service"),
  shutting_down: unavailable("out_of_service"),

  upstream_bad_response: badResponse("failure"),

  request_in_progress: unknown,
  record_no_longer_held: unknown,
  idempotency_key_reused: unknown,
  internal_error: unknown,
  upstream_timeout: unknown,
};

/**
 * The outcome of a failed response, or undefined for a success. A server may offer BVNs without NINs. Its failure for a
 * NIN then concerns only that kind, so it must not raise an alarm, which would stop BVNs.
 */
export function failureIn(status: number, body: unknown, kind: CheckKind): IdentityOutcome | undefined {
  const failure = answeredFailure(body);
  if (status < 300 && !failure) return undefined;
  const isFirstKind = kind === "bvn";
  if (failure?.code !== undefined) {
    const outcome = outcomes[failure.code];
    if (!didNoWork(outcome)) return outcome;
    if (outcome.reason === "bad_settings" && !isFirstKind) return unavailable("refused");
    return failure.final ? { ...outcome, lasting: true } : outcome;
  }
  // A 404 without the envelope, or for an optional kind, more likely means a wrong address than an unknown number.
  if (status === 404 && failure && isFirstKind) return failureOutcome(status, body, negative("not_found"));
  return failureOutcome(status, body, status === 405 && !isFirstKind ? unavailable("refused") : undefined);
}

/**
 * Returns the server's reference, and `billed: "no"` if it says that it did not charge us. Failures have both as well.
 * An unknown outcome may still be charged.
 */
export function factsIn(body: unknown, outcome: IdentityOutcome): SaidFacts {
  const { data, error } = membersIn(body);
  const { request_reference: reference, charged } = membersIn(isFailure(body) ? error : data);
  if (charged === false && outcome.state !== "unknown") return { reference, billed: "no" };
  return { reference, ...(charged === undefined && notFoundMayBeBilled(body, outcome)) };
}

/**
 * The outcome of an earlier verification. `verified` becomes unknown, because the response has no record. A negative
 * outcome that was not charged has `billed: "no"`.
 */
export function earlierOf(status: number, body: unknown): IdentityOutcome {
  if (answeredFailure(body)?.code === "verification_not_found") return unavailable("not_done");
  const { state, charged } = membersIn(status === 200 ? membersIn(body).data : undefined);
  const reason = negativeReasons.find((one) => one === state);
  if (reason) return charged === false ? { ...negative(reason), billed: "no" } : negative(reason);
  if (state === "failed" || state === "refused") return unavailable("not_done");
  return status >= 500 ? unknownBecause("server_error") : unknown;
}

const header = modeHeader.toLowerCase();

/** The headers to read from responses: the mode for `inTestMode`, and `Retry-After`. */
export const ofMode = { wantedHeaders: [header, "retry-after"] };

/** Whether the server answered in test mode, where people are invented. If so, logs an error for the operator. */
export function inTestMode(result: HttpResult, log: Log): boolean {
  const isTest = result.kind === "answered" && /\btest\b/i.test(result.headers?.[header] ?? "");
  if (isTest)
    log.error(
      { vendor: "peer" },
      "It answers in test mode: its people are invented. Give Duba a live key of that server.",
    );
  return isTest;
}

/** Some servers report a failure with HTTP status 200. */
export function isFailure(body: unknown): boolean {
  return answeredFailure(body) !== undefined;
}

/**
 * The failure that a body reports, nested (`error.code`) or flat (`code`). `final`: the server says that no retry
 * helps.
 */
function answeredFailure(body: unknown): { code: FailureCode | undefined; final: boolean } | undefined {
  if (!isObject(body)) return undefined;
  // A Duba up to 0.1 says "error".
  const isFailed = body.status === "failed" || body.status === "error";
  if (body.success !== false && body.success !== "false" && !isFailed) return undefined;
  const error = isObject(body.error) ? body.error : body;
  const code = [error.code, body.code].find((code) => typeof code === "string" && Object.hasOwn(outcomes, code));
  return { code: code as FailureCode | undefined, final: error.retryable === false };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
