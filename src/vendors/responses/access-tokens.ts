import { singleFlight } from "../../runtime/single-flight.ts";
import type { IdentityOutcome } from "../ports/identity-upstream.ts";
import { notSentBecause, unanswered } from "../ports/outcomes.ts";
import type { Reason } from "../ports/reasons.ts";
import type { HttpResult, VendorClient, VendorRequest } from "../vendor-client.ts";
import { withWait } from "./read-outcome.ts";
import { faultInWords } from "./vendor-words.ts";

/** A token, or the outcome of an attempt without one. */
export type Token = { token: string } | { outcome: IdentityOutcome };

/** Returns the current token, or a new one if the vendor `refused` that. Gives up when the signal aborts. */
export type TokenFor = (signal: AbortSignal, refused?: string) => Promise<Token>;

/** Why we have no token. */
type Missing = Reason<"noWork" | "notSent">;

/** How to get tokens from a vendor. */
interface Authorization {
  http: VendorClient;
  request: Pick<VendorRequest, "url" | "headers" | "body" | "form" | "answer" | "wantedHeaders">;
  /**
   * Reads the token and its expiry in milliseconds since 1970, or why there is none. Undefined: the HTTP status
   * decides.
   */
  read(result: HttpResult): { token: string; expiresAt: number } | Missing | undefined;
}

/** A token is renewed this many milliseconds before it expires. */
const margin = 60_000;

/** Time-out of one authorization, in milliseconds. */
const longest = 10_000;

/**
 * Returns a function that gives the current token until shortly before it expires. One authorization runs at a time.
 * Without a token we send no attempt, so every outcome here is `failed`, and `notSent` unless a stand-in answered.
 */
export function accessTokens({ http, request, read }: Authorization): TokenFor {
  let current: { token: string; until: number } | undefined;

  const renew = singleFlight(async (): Promise<Token> => {
    const result = await http.send({ method: "POST", timeout: longest, ...request });
    if (result.kind === "unreadable" && result.code === "stand_in") return { outcome: unanswered(result) };
    const given = read(result);
    if (given === undefined) return { outcome: withWait(notSentBecause(reasonOf(result)), result) };
    if (typeof given === "string") return none(given);
    current = { token: given.token, until: given.expiresAt - margin };
    return { token: given.token };
  });

  return async (signal, refused) =>
    current && current.token !== refused && Date.now() < current.until
      ? { token: current.token }
      : unlessAborted(renew(), signal);
}

/**
 * Sends an attempt with a token. After a 401 it sends the attempt once more with a new token, because the vendor did no
 * work.
 */
export async function sendWithToken(
  tokenFor: TokenFor,
  signal: AbortSignal,
  send: (token: string) => Promise<HttpResult>,
): Promise<{ result: HttpResult } | { outcome: IdentityOutcome }> {
  const first = await tokenFor(signal);
  if ("outcome" in first) return first;
  const result = await send(first.token);
  if (result.kind !== "answered" || result.status !== 401) return { result };
  const second = await tokenFor(signal, first.token);
  return "outcome" in second ? second : { result: await send(second.token) };
}

const reasons: Readonly<Record<number, Missing>> = {
  400: "bad_credentials",
  401: "bad_credentials",
  402: "no_money",
  403: "bad_credentials",
  404: "bad_settings",
  405: "bad_settings",
  422: "bad_credentials",
  429: "rate_limited",
};

function reasonOf(result: HttpResult): Missing {
  if (result.kind === "notSent" || result.kind === "lost") return "not_reached";
  const fault = result.kind === "answered" && result.status < 500 ? faultInWords(result.body) : undefined;
  return fault ?? reasons[result.status] ?? "out_of_service";
}

function none(reason: Missing): Token {
  return { outcome: notSentBecause(reason) };
}

async function unlessAborted(renewal: Promise<Token>, signal: AbortSignal): Promise<Token> {
  const { promise: aborted, resolve } = Promise.withResolvers<Token>();
  const abort = () => resolve(none("not_reached"));
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([renewal, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
