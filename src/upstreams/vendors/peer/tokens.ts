import { singleFlight } from "../../../runtime/single-flight.ts";
import type { IdentityOutcome, UnavailableBecause } from "../../ports/identity-upstream.ts";
import { notSentBecause, saysNoMoney } from "../../ports/outcomes.ts";
import type { VendorParts } from "../../ports/vendor.ts";
import { responseParser } from "../../responses/parse-response.ts";
import { withWait } from "../../responses/read-outcome.ts";
import type { HttpResult } from "../../vendor-client.ts";
import { Authorized, inTestMode, isFailure, ofMode } from "./wire.ts";

interface Account {
  url: string;
  email: string;
  key: string;
  /** Refuse a test key, whose people are invented. */
  mustBeLive: boolean;
}

/** A token, or the outcome of a question without one. */
export type Token = { token: string } | { outcome: IdentityOutcome };

/** Milliseconds before its expiry at which we renew a token. */
const margin = 60_000;

/** Milliseconds for one authorization. */
const longest = 10_000;

/**
 * Returns a function that gives a valid access token for an account: the current one until shortly before it expires, unless
 * the server refused that one. One authorization runs at a time. Without a token we send no question, so every failure here
 * is `unavailable`.
 */
export function accountTokens({ url, email, key, mustBeLive }: Account, { http, log }: VendorParts) {
  const parse = responseParser("peer", Authorized, log);
  let current: { token: string; until: number } | undefined;

  const renew = singleFlight(async (): Promise<Token> => {
    const result = await http.send({
      method: "POST",
      url: `${url}/api/v2/merchant/authorization`,
      body: { email, password: key },
      timeout: longest,
      ...ofMode,
    });
    if (mustBeLive && inTestMode(result, log)) return none("bad_settings");
    if (result.kind !== "answered" || result.status !== 200)
      return { outcome: withWait(notSentBecause(reasonOf(result)), result) };
    if (isFailure(result.body)) return none(saysNoMoney(result.body) ? "no_money" : "bad_credentials");
    const authorized = parse(result.body);
    if (!authorized) return none("out_of_service");
    const { access_token: token, expires_at } = authorized.data.token;
    current = { token, until: Date.parse(`${expires_at.replace(" ", "T")}Z`) - margin };
    return { token };
  });

  return async (signal: AbortSignal, refused?: string): Promise<Token> =>
    current && current.token !== refused && Date.now() < current.until
      ? { token: current.token }
      : unlessAborted(renew(), signal);
}

const reasons: Readonly<Record<number, UnavailableBecause>> = {
  400: "bad_credentials",
  401: "bad_credentials",
  402: "no_money",
  403: "bad_credentials",
  404: "bad_settings",
  405: "bad_settings",
  422: "bad_credentials",
  429: "rate_limited",
};

function reasonOf(result: HttpResult): UnavailableBecause {
  if (result.kind === "notSent" || result.kind === "lost") return "not_reached";
  if (result.kind === "answered" && result.status < 500 && saysNoMoney(result.body)) return "no_money";
  return reasons[result.status] ?? "out_of_service";
}

function none(reason: UnavailableBecause): Token {
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
