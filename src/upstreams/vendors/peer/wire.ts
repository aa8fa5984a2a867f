import Type from "typebox";
import type { CheckKind } from "../../../operation/check-kind.ts";
import type { FailureCode } from "../../../operation/failures.ts";
import { LooseRecord } from "../../loose-record.ts";
import type { IdentityOutcome } from "../../ports/identity-upstream.ts";
import { badResponse, failedWith, saysNoMoney, unavailable, unknown } from "../../ports/outcomes.ts";

/** A good answer to a verification. */
export const PeerResponse = Type.Object({
  success: Type.Union([Type.Literal(true), Type.Literal("true")]),
  data: LooseRecord,
});

/** A good answer to an authorization. `expires_at` is in UTC. */
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
 * What the failures of a Duba say of a verification. `unavailable` only where the code says that no work was done.
 * - `verification_failed` says no to the BVN or to the phone. It is `not_found`: `phone_mismatch` would confirm that the
 *   BVN exists, which nobody said. An operator of such a server sets DUBA_NEGATIVE_DETAIL=coarse here too.
 * - `idempotency_key_reused` and `record_no_longer_held` tell of an earlier try that may have been paid for.
 */
const outcomes: Record<FailureCode, IdentityOutcome> = {
  bvn_not_found: { kind: "not_found" },
  nin_not_found: { kind: "not_found" },
  verification_failed: { kind: "not_found" },
  phone_mismatch: { kind: "phone_mismatch" },

  missing_credentials: unavailable("bad_credentials"),
  invalid_credentials: unavailable("bad_credentials"),
  expired_credentials: unavailable("bad_credentials"),
  insufficient_scope: unavailable("bad_credentials"),
  address_not_allowed: unavailable("bad_credentials"),

  amount_mismatch: unavailable("bad_settings"),
  consent_required: unavailable("bad_settings"),
  upstream_not_configured: unavailable("bad_settings"),
  operation_retired: unavailable("bad_settings"),
  route_not_found: unavailable("bad_settings"),
  provider_not_found: unavailable("bad_settings"),
  product_not_found: unavailable("bad_settings"),
  verification_not_found: unavailable("bad_settings"),
  method_not_allowed: unavailable("bad_settings"),
  unsupported_media_type: unavailable("bad_settings"),
  malformed_json: unavailable("bad_settings"),

  // One question must not be able to raise an alarm for all.
  validation_failed: unavailable("refused"),
  malformed_request: unavailable("refused"),
  conflicting_parameters: unavailable("refused"),
  invalid_idempotency_key: unavailable("refused"),
  body_too_large: unavailable("refused"),
  uri_too_long: unavailable("refused"),
  headers_too_large: unavailable("refused"),
  expectation_failed: unavailable("refused"),
  // It ends by itself, unlike the others.
  subject_rate_limited: { kind: "unavailable", reason: "refused" },

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
 * What an answer that is not a verified record comes to. A server may verify BVNs and no NINs: settings that do not fit then
 * refuse the questions of that kind, and raise no alarm that would stop the others.
 */
export function outcomeOfFailure(status: number, body: unknown, kind: CheckKind = "bvn"): IdentityOutcome {
  const outcome = failureOutcome(status, body, kind);
  const isOfKind = kind !== "bvn" && outcome.kind === "unavailable" && outcome.reason === "bad_settings";
  return isOfKind ? unavailable("refused") : outcome;
}

function failureOutcome(status: number, body: unknown, kind: CheckKind): IdentityOutcome {
  const failure = failureIn(body);
  if (failure?.code !== undefined) {
    const outcome = outcomes[failure.code];
    return failure.final && outcome.kind === "unavailable" ? { ...outcome, lasting: true } : outcome;
  }
  if (status < 500 && saysNoMoney(body)) return unavailable("no_money");
  if (status < 300) return badResponse("failure");
  // Without the envelope, or for a kind that it may not know, a 404 is more likely a wrong address than an unknown number.
  return status === 404 && failure && kind === "bvn" ? { kind: "not_found" } : failedWith(status);
}

/** What the state of an earlier verification says of it. A record comes by asking again, so `verified` stays unknown here. */
export function earlierOf(status: number, body: unknown): IdentityOutcome {
  if (failureIn(body)?.code === "verification_not_found") return unavailable("not_done");
  const state = status === 200 && isObject(body) && isObject(body.data) ? body.data.state : undefined;
  if (state === "not_found" || state === "phone_mismatch") return { kind: state };
  return state === "failed" || state === "refused" ? unavailable("not_done") : unknown;
}

/** Some servers tell of a failure with HTTP status 200. */
export function isFailure(body: unknown): boolean {
  return failureIn(body) !== undefined;
}

/** The failure that a body tells of, nested (`error.code`) or flat (`code`). `final`: the server says that no retry helps. */
function failureIn(body: unknown): { code: FailureCode | undefined; final: boolean } | undefined {
  if (!isObject(body) || (body.success !== false && body.success !== "false" && body.status !== "error"))
    return undefined;
  const error = isObject(body.error) ? body.error : body;
  const code = [error.code, body.code].find((code) => typeof code === "string" && Object.hasOwn(outcomes, code));
  return { code: code as FailureCode | undefined, final: error.retryable === false };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
