import { singleFlight } from "../../../runtime/single-flight.ts";
import type { HttpResult } from "../../http-client.ts";
import { responseParser } from "../../parse-response.ts";
import type { IdentityOutcome, Unavailability } from "../../ports/identity-upstream.ts";
import { saysNoMoney, unasked } from "../../ports/outcomes.ts";
import type { VendorParts } from "../../ports/vendor.ts";
import { inTestMode, ofMode } from "./mode.ts";
import { Authorized, isFailure } from "./wire.ts";

interface Account {
  url: string;
  email: string;
  key: string;
  /** Whether a key of test mode is refused: whom it verifies is invented. */
  mustBeLive: boolean;
}

/** A token, or the outcome of a question that has none. */
export type Token = { token: string } | { outcome: IdentityOutcome };

/** A token is renewed so many milliseconds before it expires. */
const margin = 60_000;

/** Milliseconds that an authorization may take: nobody waits for it as long as a question is listened to. */
const patience = 10_000;

const vendor = "peer";

/**
 * The access token of an account, kept until shortly before it expires. However many questions wait for a new one, one
 * authorization is under way at a time. Without a token nothing was asked, so every failure here is `unavailable`.
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

  /** A token that is still good; never `refused`, which the server did not take. */
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
      timeout: patience,
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

function reasonOf(result: HttpResult): Unavailability {
  if (result.kind === "notSent" || result.kind === "lost") return "not_reached";
  if (result.kind === "answered" && result.status < 500 && saysNoMoney(result.body)) return "no_money";
  switch (result.status) {
    case 400:
    case 401:
    case 403:
    case 422:
      return "bad_credentials";
    case 402:
      return "no_money";
    case 404:
    case 405:
      return "bad_settings";
    case 429:
      return "rate_limited";
    default:
      return "out_of_service";
  }
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
