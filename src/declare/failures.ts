import { anyClaim, anyLabel, checkKinds, labelOf, negativeFailures, negativesOf } from "./check-kind.ts";
import type { FailureDetail } from "./failure-detail.ts";
import { usualKiB } from "./request-bounds.ts";
import type { Version } from "./versions.ts";

interface FailureFacts {
  /** The HTTP status. */
  status: number;
  /** The version that added the failure. Default: the first version. */
  since?: Version;
  /** True if the same request may succeed later. */
  retryable?: boolean;
  cause: string;
  cure: string;
}

const unlessSet = "unless its operator set another limit";
const withPhone = checkKinds.filter((kind) => "phone_mismatch" in negativesOf(kind));

/** All failures of the API. A code is a stable public name. No other file repeats these facts. */
const table = {
  malformed_json: {
    status: 400,
    cause: "The request body is not JSON.",
    cure: "Send one JSON object in UTF-8, for example with a JSON library instead of joining strings.",
  },
  malformed_request: {
    status: 400,
    cause:
      "Duba cannot read the request as HTTP: the request line, a header, a URL escape or the length is wrong, " +
      "Host is missing or wrong, or Host or Authorization is there twice.",
    cure: "Send the request with an ordinary HTTP/1.1 client and percent-encode the URL.",
  },
  conflicting_parameters: {
    status: 400,
    cause:
      "The request has one parameter more than once, or in two places, with different values, " +
      "or a member twice in one object of its body.",
    cure: "Send each parameter once, or with the same value everywhere, and each member once.",
  },
  invalid_idempotency_key: {
    status: 400,
    cause: `The Idempotency-Key is not 1 to 255 visible ASCII characters, or contains the ${anyLabel} or the ${anyClaim}.`,
    cure: "Send a random identifier, for example a UUID, that says nothing about the person.",
  },
  missing_credentials: {
    status: 401,
    cause: "The operation needs an Authorization header, and the request has none.",
    cure: "Send `Authorization: Bearer <api key>`. The first start of the service prints a sandbox key.",
  },
  invalid_credentials: {
    status: 401,
    cause: "The credential is mistyped, unknown or revoked, or its account is suspended.",
    cure: "Check the key for missing characters, or ask the operator of the service for a new one.",
  },
  expired_credentials: {
    status: 401,
    cause: "The API key or access token has expired.",
    cure: "Exchange your API key for a new token, or ask the operator of the service for a new key.",
  },
  spending_cap_reached: {
    status: 402,
    cause: "Your account has reached the cap that the operator of the service set on its verifications in a month.",
    cure: "Wait until the next month, or ask the operator of the service for a higher cap. Nothing was charged.",
  },
  balance_too_low: {
    status: 402,
    cause: "Your account is prepaid, and its balance is below the fee of the verification.",
    cure: "Ask the operator of the service to top up your balance. Nothing was charged.",
  },
  insufficient_scope: {
    status: 403,
    cause: "The credential is valid, but its key does not have the scope that this operation needs.",
    cure: "Use a key with the scope that the message names.",
  },
  address_not_allowed: {
    status: 403,
    cause: "The key works only from certain addresses, and the request came from another one.",
    cure: "Call from an allowed address, or ask the operator of the service to allow yours.",
  },
  consent_required: {
    status: 403,
    cause:
      "This service, or the vendor behind it, needs the person's consent, and the request has no Consent-Reference.",
    cure: "Send your own reference to the consent in a Consent-Reference header.",
  },
  route_not_found: {
    status: 404,
    cause: "No operation has this path. Paths are exact: case and slashes count.",
    cure: "Compare the path with the reference at /docs.",
  },
  not_offered: {
    status: 404,
    cause:
      "The path is one of a purchase, a transfer, a bill or a list of other goods. Duba lists and verifies: " +
      "it sells nothing and moves no money.",
    cure: "Send purchases to the service that sells, under a base address of its own.",
  },
  provider_not_found: {
    status: 404,
    cause: "No provider has this code.",
    cure: "Use one of the codes that the message lists.",
  },
  product_not_found: {
    status: 404,
    cause: "The cable provider has no product with this code.",
    cure: "List its products with GET /api/v2/cable-tv/fetch-billers?type=<provider>.",
  },
  ...negativeFailures(404),
  request_not_found: {
    status: 404,
    cause: "The request log has no entry of your account with this request id in this mode.",
    cure:
      "Compare the id with the X-Request-Id of the answer, and use a key of the same mode (test or live). " +
      "Entries go after some days, and look-ups that succeed are kept as a sample.",
  },
  verification_not_found: {
    status: 404,
    cause: "Your account has no verification with this reference or idempotency key in this mode.",
    cure: "Check the reference, and use a key of the same mode (test or live) as the verification.",
  },
  endpoint_not_found: {
    status: 404,
    since: "0.2.0",
    cause: "Your account has no webhook endpoint with this id in this mode.",
    cure:
      "List your endpoints with GET /api/v2/events/endpoints, " +
      "and use a key of the same mode (test or live) as the endpoint.",
  },
  event_not_found: {
    status: 404,
    since: "0.2.0",
    cause: "No event with this id was ever for this endpoint.",
    cure: "List its deliveries with GET /api/v2/events/endpoints/{id}/deliveries. Events are kept for 60 days.",
  },
  method_not_allowed: {
    status: 405,
    cause: "The path exists, but not with this method.",
    cure: "Use a method from the Allow header.",
  },
  request_timeout: {
    status: 408,
    retryable: true,
    cause: "The whole request did not arrive in time.",
    cure: "Send it again over a better connection. Duba ignored the part that arrived.",
  },
  request_in_progress: {
    status: 409,
    retryable: true,
    cause: "A verification with the same idempotency key is still running.",
    cure: "Wait as many seconds as Retry-After says, and send the same request again.",
  },
  endpoint_exists: {
    status: 409,
    since: "0.2.0",
    cause: "A webhook endpoint of your account has this URL in this mode already.",
    cure:
      "Use the endpoint that the message names. If you do not have its secret, " +
      "give it a new one, or remove it first.",
  },
  too_many_endpoints: {
    status: 409,
    since: "0.2.0",
    cause: "Your account has as many webhook endpoints in this mode as it may have.",
    cure: "Remove one with DELETE /api/v2/events/endpoints/{id}.",
  },
  operation_retired: {
    status: 410,
    cause: "The operation ended on its sunset date.",
    cure: "Use the operation that the Link header names.",
  },
  record_no_longer_held: {
    status: 410,
    cause:
      "The verification succeeded earlier, and Duba does not hold its record any more: " +
      "its time is over, it was erased, or the service was restored from a backup, which has no records.",
    cure: "If you need the record again, verify again with a new idempotency key.",
  },
  body_too_large: {
    status: 413,
    cause: `The request body is larger than this service accepts: ${usualKiB.body} KiB, ${unlessSet}.`,
    cure: "Send only the documented members.",
  },
  uri_too_long: {
    status: 414,
    cause: `The URL is longer than this service accepts: ${usualKiB.url} KiB, ${unlessSet}.`,
    cure: "Send only the documented parameters.",
  },
  unsupported_media_type: {
    status: 415,
    cause: "The operation does not read bodies of this type.",
    cure: "Send JSON with `Content-Type: application/json`.",
  },
  expectation_failed: {
    status: 417,
    cause: "The Expect header asks for something other than 100-continue.",
    cure: "Send the request without an Expect header.",
  },
  validation_failed: {
    status: 422,
    cause: "One or more parameters are missing or have the wrong form. `fields` lists all of them.",
    cure: "Correct each field as its message says.",
  },
  ...negativeFailures(422),
  phone_mismatch: {
    status: 422,
    cause: `The ${withPhone.map(labelOf).join(" or ")} exists, but the phone number does not belong to it.`,
    cure: "Ask the customer for the phone number that is registered with it. Nothing was charged.",
  },
  amount_mismatch: {
    status: 422,
    cause: "This service checks the amount, and the amount in the request is not the fee.",
    cure:
      "Send the amount that the message names. For a BVN, " +
      "GET /api/v2/education/waec-lookup returns it too. Nothing was charged.",
  },
  verification_failed: {
    status: 422,
    cause: `Duba could not verify the ${anyLabel} and the ${anyClaim} together. This service does not say what is wrong.`,
    cure: "Check both with the customer. Nothing was charged.",
  },
  idempotency_key_reused: {
    status: 422,
    cause: "You used the idempotency key before, for a verification with other content.",
    cure: "Use a new key for each new verification, and the same key for its retries.",
  },
  rate_limited: {
    status: 429,
    retryable: true,
    cause: "You sent too many requests in the current window.",
    cure: "Wait as many seconds as Retry-After says, and read RateLimit to stay below the limit.",
  },
  subject_rate_limited: {
    status: 429,
    retryable: true,
    cause: `Your account verified this ${anyLabel} too often.`,
    cure: "Wait as many seconds as Retry-After says. Use the answers that you have.",
  },
  too_many_in_flight: {
    status: 429,
    retryable: true,
    cause: "Your account has the maximum number of verifications running at the same time.",
    cure: "Wait until one of them ends, and send fewer at the same time.",
  },
  headers_too_large: {
    status: 431,
    cause: `All headers together are larger than this service accepts: ${usualKiB.headers} KiB, ${unlessSet}.`,
    cure: "Send fewer or shorter headers.",
  },
  internal_error: {
    status: 500,
    retryable: true,
    cause: "The service has a problem.",
    cure: "Send the request_id to the operator of the service. A retry with the same Idempotency-Key is safe.",
  },
  upstream_bad_response: {
    status: 502,
    retryable: true,
    cause: "The response of the identity source is not plausible. Duba kept and charged nothing.",
    cure: "Try again later with the same Idempotency-Key.",
  },
  upstream_unavailable: {
    status: 503,
    retryable: true,
    cause: "The identity source did not do the work. Nothing was charged.",
    cure:
      "Try again later with the same Idempotency-Key. " +
      "If `retryable` is false, the operator of the service must act first.",
  },
  upstream_not_configured: {
    status: 503,
    cause: "This service has no identity source for live keys.",
    cure: "Ask the operator of the service to configure one, or use a test key for the sandbox.",
  },
  shutting_down: {
    status: 503,
    retryable: true,
    cause: "This instance is stopping, or waits for its store to start, and accepts no new requests.",
    cure: "Send the request again. Another instance answers, or this one after its restart.",
  },
  upstream_timeout: {
    status: 504,
    retryable: true,
    cause: "The identity source did not answer in time, so the outcome is not known yet.",
    cure: "Send the same request with the same Idempotency-Key, or get the outcome from GET /api/v2/kyc/verifications.",
  },
} satisfies Record<string, FailureFacts>;

export type FailureCode = keyof typeof table;

export const failures: Readonly<Record<FailureCode, FailureFacts>> = table;

/** A failure on its way to the caller. `message` is public: no personal data, no vendor text, no internals. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly detail: FailureDetail;

  constructor(code: FailureCode, message: string = failures[code].cause, detail: FailureDetail = {}) {
    super(message);
    this.code = code;
    this.detail = detail;
  }

  get status(): number {
    return failures[this.code].status;
  }

  get retryable(): boolean {
    return this.detail.retryable ?? failures[this.code].retryable ?? false;
  }
}
