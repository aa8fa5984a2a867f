import type { TSchema } from "typebox";
import type { IdentityAttempt, IdentityUpstream } from "../ports/identity-upstream.ts";
import type { VendorParts } from "../ports/vendor.ts";
import type { VendorRequest } from "../vendor-client.ts";
import { sendWithToken, type TokenFor } from "./access-tokens.ts";
import { outcomeReader, type VendorResponses } from "./read-outcome.ts";

/** The request for a number, as a vendor documents it. */
type AttemptRequest = Pick<VendorRequest, "method" | "url" | "headers" | "body" | "form" | "answer">;

/**
 * Returns a vendor's `verify`, for vendors that need one request per number. `answers` reads the response; `tokenFor`
 * gives the access token, if the vendor needs one.
 */
export function verifier<Schema extends TSchema>(
  answers: VendorResponses<Schema>,
  { http, log }: VendorParts,
  requestOf: (attempt: IdentityAttempt, token: string) => AttemptRequest,
  tokenFor?: TokenFor,
): IdentityUpstream["verify"] {
  const outcomeOf = outcomeReader(answers, log);
  return async (attempt) => {
    const { signal, sendUntil, traceparent } = attempt;
    const send = (token: string) => http.send({ ...requestOf(attempt, token), signal, sendUntil, traceparent });
    if (!tokenFor) return outcomeOf(await send(""), attempt);
    const sent = await sendWithToken(tokenFor, sendUntil ?? signal, send);
    return "outcome" in sent ? sent.outcome : outcomeOf(sent.result, attempt);
  };
}
