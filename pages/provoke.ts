import { checkKinds, labelOf } from "../src/declare/check-kind.ts";
import type { FailureCode } from "../src/declare/failures.ts";
import { isKeyed, type Operation } from "../src/declare/operation.ts";
import { usualKiB } from "../src/declare/request-bounds.ts";
import { scenarioHeader } from "../src/http/rehearsal/scenarios.ts";
import { sandboxNumbers } from "../src/vendors/sandbox/numbers.ts";

/** A request that a reader can copy. Default of `credential`: the reader's key. Null: no credential. */
export interface CopiedRequest {
  method?: "POST" | "DELETE";
  path: string;
  credential?: string | null;
  headers?: Record<string, string>;
  body?: string;
}

/**
 * A way to provoke a failure: requests in turn, of which the last one fails; or a sentence, if no request can do that.
 */
type Provocation = CopiedRequest[] | string;

const verify = "/api/v2/kyc/verify-bvn";
const providers = "/api/v2/internet/data/fetch-providers";
const json = { "Content-Type": "application/json" };
const person = { bvn: "22000000017", phone: "08000000017", amount: "100" };

function verification(members: Record<string, string>, headers: Record<string, string> = {}): CopiedRequest {
  return { method: "POST", path: verify, headers: { ...json, ...headers }, body: JSON.stringify(members) };
}

/** Failures that no sandbox number gives, or that a request can give as well. */
export const provocations: Partial<Record<FailureCode, Provocation>> = {
  malformed_json: [{ ...verification({}), body: "{bvn}" }],
  malformed_request: [{ path: "/api/v2/internet/data/lookup?provider=%zz", credential: null }],
  conflicting_parameters: [
    { path: "/api/v2/internet/data/lookup?provider=MTNDATA&provider=GLODATA", credential: null },
  ],
  invalid_idempotency_key: [verification(person, { "Idempotency-Key": person.bvn })],
  missing_credentials: [{ path: providers, credential: null }],
  invalid_credentials: [{ path: providers, credential: "wrong" }],
  expired_credentials: "Create a key with `duba keys create --expires 1min`, and send it a minute later.",
  insufficient_scope: "Create a key with `duba keys create --scope catalogue:read`, and verify with it.",
  address_not_allowed: "Create a key with `duba keys create --address 192.0.2.1`, and send it.",
  route_not_found: [{ path: "/api/v2/nothing" }],
  not_offered: [{ method: "POST", path: "/api/v2/internet/data", headers: json, body: "{}" }],
  provider_not_found: [{ path: "/api/v2/internet/data/lookup?provider=FOODATA", credential: null }],
  product_not_found: [{ path: "/api/v2/cable-tv/fetch-tv-add-ons?type=dstv&productCode=NOTHING", credential: null }],
  request_not_found: [{ path: "/api/v2/requests/NOTHING" }],
  verification_not_found: [{ path: "/api/v2/kyc/verifications/NOTHING" }],
  endpoint_not_found: "With a key that has `events:manage`, send DELETE /api/v2/events/endpoints/NOTHING.",
  event_not_found: "With such a key, send the event `NOTHING` of one of your endpoints again.",
  endpoint_exists: "With such a key, add an endpoint twice.",
  too_many_endpoints: "With such a key, add 11 endpoints.",
  method_not_allowed: [{ method: "DELETE", path: providers }],
  request_timeout: "Send a Content-Length that is larger than the body, and wait for `DUBA_REQUEST_TIMEOUT`.",
  request_in_progress:
    "Verify 00000000008, which takes 3 s, and send the same request with the same Idempotency-Key meanwhile.",
  operation_retired: "Call an operation after its sunset date. No operation has one yet.",
  record_no_longer_held: "With a test key, verify 00000000015 twice with the same Idempotency-Key.",
  body_too_large: `Send a body of more than ${usualKiB.body} KiB.`,
  uri_too_long: `Send a query string of more than ${usualKiB.url} KiB.`,
  unsupported_media_type: [{ ...verification(person), headers: { "Content-Type": "text/plain" } }],
  expectation_failed: [{ path: providers, headers: { Expect: "something" } }],
  validation_failed: [verification({ bvn: "1", phone_number: person.phone })],
  amount_mismatch: 'Set `DUBA_AMOUNT_POLICY=enforce`, and verify with the amount "1".',
  verification_failed: "Set `DUBA_NEGATIVE_DETAIL=coarse`, and verify 00000000001.",
  idempotency_key_reused: [
    verification(person, { "Idempotency-Key": "used-before" }),
    verification({ ...person, bvn: "22000000018" }, { "Idempotency-Key": "used-before" }),
  ],
  rate_limited: [{ path: providers, headers: { [scenarioHeader]: "429" } }],
  too_many_in_flight:
    "Set `DUBA_LIMIT_IN_FLIGHT=1`, verify 00000000008, which takes 3 s, and verify another number meanwhile.",
  headers_too_large: `Send headers of more than ${usualKiB.headers} KiB.`,
  internal_error: "Any other one is an error of the service.",
  upstream_not_configured: "Leave `DUBA_UPSTREAMS` empty, and verify with a live key.",
  shutting_down: [{ path: providers, headers: { [scenarioHeader]: "503" } }],
};

/** The sandbox numbers that give a failure, each as "BVN 00000000001". */
export function numbersFor(code: FailureCode): string[] {
  return checkKinds.flatMap((kind) =>
    sandboxNumbers(kind)
      .filter(({ result }) => result.endsWith(` ${code}`))
      .map(({ number }) => `${labelOf(kind)} ${number}`),
  );
}

/** The key of the samples, by which the sample of the requery finds the verification. */
const sampleKey = "order-1001";

/** The first example of an operation as a request. */
export function sampleOf(operation: Operation<never>): CopiedRequest {
  const { method, path, carriage, access, examples } = operation;
  const rest = { ...examples[0]?.input };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name]!;
    delete rest[name];
    return value;
  });
  const credential = access === "credential" ? {} : { credential: null };
  if (carriage === "body") {
    const headers = { ...json, ...(isKeyed(operation) ? { "Idempotency-Key": sampleKey } : {}) };
    return { method, path: filled, ...credential, headers, body: JSON.stringify(rest) };
  }
  const query = new URLSearchParams(rest).toString();
  return { ...(method === "GET" ? {} : { method }), path: filled + (query && `?${query}`), ...credential };
}

/** A request as a command line for a shell, in which `$DUBA_KEY` is the reader's key. Each header begins a new line. */
export function curlLine(origin: string, { method, path, credential, headers = {}, body }: CopiedRequest): string {
  const isTold = method === undefined || body !== undefined;
  const words = [`curl -i${isTold ? "" : ` -X ${method}`} '${origin}${path}'`];
  if (credential !== null) words.push(`-H "Authorization: Bearer ${credential ?? "$DUBA_KEY"}"`);
  for (const [name, value] of Object.entries(headers)) words.push(`-H '${name}: ${value}'`);
  if (body !== undefined) words.push(`-d '${body}'`);
  return words.join(" \\\n  ");
}
