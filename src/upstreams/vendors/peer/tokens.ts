import { singleFlight } from "../../../runtime/single-flight.ts";
import type { HttpResult } from "../../http-client.ts";
import { responseParser } from "../../parse-response.ts";
import type { IdentityOutcome, Unavailability } from "../../ports/identity-upstream.ts";
import { saysNoMoney, unasked } from "../../ports/outcomes.ts";
import type { VendorParts } from "../../ports/vendor.ts";
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

const vendor = "peer";

/**
 * Gets access tokens for an account, and keeps the current one until shortly before it expires. One authorization runs at a
 * time. Without a token we send no question, so every failure here is `unavailable`.
 */
export class Tokens {
  readonly #account: Account;
  readonly #http: VendorParts["http"];
  readonly #log: VendorParts["log"];
  readonly #read: ReturnType<typeof responseParser<typeof Authorized>>;
  #kept: { token: string; until: number } | undefined;
  readonly #renew = singleFlight(() => this.#renewed());

  constructor(account: Account, { http, log }: VendorParts) {
    this.#account = account;
    this.#http = http;
    this.#log = log;
    this.#read = responseParser(vendor, Authorized, log);
  }

  /** A valid token. `refused`: a token that the server refused, so that we get a new one. */
  async token(signal: AbortSignal, refused?: string): Promise<Token> {
    const kept = this.#kept;
    if (kept && kept.token !== refused && Date.now() < kept.until) return { token: kept.token };
    return unlessAborted(this.#renew(), signal);
  }

  async #renewed(): Promise<Token> {
    const { url, email, key, mustBeLive } = this.#account;
    const result = await this.#http.send({
      method: "POST",
      url: `${url}/api/v2/merchant/authorization`,
      body: { email, password: key },
      timeout: longest,
      ...ofMode,
    });
    if (mustBeLive && inTestMode(result, this.#log)) return none("bad_settings");
    if (result.kind !== "answered" || result.status !== 200) return none(reasonOf(result));
    if (isFailure(result.body)) return none(saysNoMoney(result.body) ? "no_money" : "bad_credentials");
    const authorized = this.#read(result.body);
    if (!authorized) return none("out_of_service");
    const { access_token: token, expires_at } = authorized.data.token;
    this.#kept = { token, until: Date.parse(`${expires_at.replace(" ", "T")}Z`) - margin };
    return { token };
  }
}

const reasons: Readonly<Record<number, Unavailability>> = {
  400: "bad_credentials",
  401: "bad_credentials",
  402: "no_money",
  403: "bad_credentials",
  404: "bad_settings",
  405: "bad_settings",
  422: "bad_credentials",
  429: "rate_limited",
};

function reasonOf(result: HttpResult): Unavailability {
  if (result.kind === "notSent" || result.kind === "lost") return "not_reached";
  if (result.kind === "answered" && result.status < 500 && saysNoMoney(result.body)) return "no_money";
  return reasons[result.status] ?? "out_of_service";
}

function none(reason: Unavailability): Token {
  return { outcome: unasked(reason) };
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
