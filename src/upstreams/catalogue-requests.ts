import { setTimeout as sleep } from "node:timers/promises";
import type { Allowance, HttpClient, HttpResult } from "./http-client.ts";
import type { Origin, Pull, Pulled, PullFault } from "./ports/catalogue-source.ts";

/** The most that one pull may request and read: requests, bytes of one response, bytes of all. */
const mostRequests = 1_000;
const mostBytes = 8 * 1024 * 1024;
const mostBytesOfAll = 32 * 1024 * 1024;

/** Milliseconds. If a source wants a longer pause, the pull ends and a later one asks again. */
const longestPause = 30_000;
/** Milliseconds. We wait no longer than this, whatever the source wants. */
const mostPause = 24 * 3_600_000;

const wantedHeaders = ["retry-after", "duba-catalogue-as-of", "duba-catalogue-stale"];

/** Ends a pull without a result. We write the message: it contains no vendor's text. */
export class PullEnded extends Error {
  readonly kind: PullFault;
  /** Milliseconds for which the source wants no requests. */
  readonly retryAfter: number | undefined;

  constructor(kind: PullFault, sentence: string, retryAfter?: number) {
    super(sentence);
    this.kind = kind;
    this.retryAfter = retryAfter;
  }
}

/** A request to a source. */
export interface Wanted<Answer> {
  /** Names it in sentences, such as "the bundles of MTNDATA". */
  what: string;
  url: string;
  headers: Record<string, string>;
  /** Undefined: the body has another shape. */
  read: (body: unknown) => Answer | undefined;
  /** The failure that a body reports: `said` completes "it answered …". */
  failureIn?: (body: unknown) => { kind: PullFault; said: string } | undefined;
}

/** The requests of one pull, one after the other, within the limits above. */
export class Requests {
  readonly #http: HttpClient;
  readonly #signal: AbortSignal;
  readonly #allowance: Allowance = { each: mostBytes, left: mostBytesOfAll };
  /** What the source says about the age of its own lists: of several responses the oldest. */
  origin: Origin | undefined;
  #left = mostRequests;

  constructor(http: HttpClient, signal: AbortSignal) {
    this.#http = http;
    this.#signal = signal;
  }

  /** Waits if the source wants a short pause. Throws `PullEnded` for all but a good response. */
  async get<Answer>({ what, url, headers, read, failureIn }: Wanted<Answer>): Promise<Answer> {
    const { status, body } = await this.#ask(what, url, headers);
    const failure = failureIn?.(body);
    if (failure) throw new PullEnded(failure.kind, `Asked for ${what}, it answered ${failure.said}.`);
    if (status !== 200) throw refused(what, status);
    const answer = read(body);
    if (answer === undefined) throw new PullEnded("unreadable", `What it answered for ${what} has another shape.`);
    return answer;
  }

  async #ask(what: string, url: string, headers: Record<string, string>) {
    for (;;) {
      this.#left -= 1;
      if (this.#left < 0)
        throw new PullEnded("unreadable", `It takes more than ${mostRequests} requests to read it all.`);
      const result = await this.#http.send({
        ...{ method: "GET", url, headers, signal: this.#signal },
        ...{ allowance: this.#allowance, wantedHeaders },
      });
      const pause = pauseIn(result);
      if (pause === undefined) {
        if (result.kind !== "answered") throw unanswered(what, result);
        this.#note(result.headers ?? {});
        return result;
      }
      const seconds = Math.ceil(pause / 1000);
      const sentence = `Asked for ${what}, it was too busy and asked for a pause of ${seconds} s.`;
      const ended = new PullEnded("unreachable", sentence, pause);
      if (pause > longestPause) throw ended;
      await sleep(Math.max(pause, 100), undefined, { signal: this.#signal }).catch(() => {
        throw ended;
      });
    }
  }

  #note({ "duba-catalogue-as-of": text = "", "duba-catalogue-stale": stale }: Record<string, string>): void {
    const asOf = Date.parse(text);
    if (Number.isNaN(asOf) && stale === undefined) return;
    const oldest = Math.min(this.origin?.asOf ?? Number.POSITIVE_INFINITY, asOf || Number.POSITIVE_INFINITY);
    this.origin = {
      asOf: Number.isFinite(oldest) ? oldest : null,
      isStale: this.origin?.isStale === true || stale === "true",
    };
  }
}

type Whole = Extract<Pulled, { kind: "whole" }>;

/** Turns the requests of an adapter into a pull. */
export function pulling(http: HttpClient, ask: (requests: Requests, signal: AbortSignal) => Promise<Whole>): Pull {
  return async (signal) => {
    const requests = new Requests(http, signal);
    try {
      const whole = await ask(requests, signal);
      const { origin } = requests;
      return { ...whole, ...(origin && { origin }) };
    } catch (error) {
      if (!(error instanceof PullEnded)) throw error;
      const { kind, message: sentence, retryAfter } = error;
      return { kind, sentence, ...(retryAfter !== undefined && { retryAfter }) };
    }
  };
}

function unanswered(what: string, result: Exclude<HttpResult, { kind: "answered" }>): PullEnded {
  if (result.kind !== "unreadable")
    return new PullEnded("unreachable", `Asked for ${what}, it did not answer (${result.code}).`);
  const { status, code } = result;
  if (code === "too_large") return new PullEnded("unreadable", `What it answered for ${what} is too large.`);
  if (code === "redirect") return new PullEnded("unreadable", `Asked for ${what}, it pointed elsewhere (${status}).`);
  return status === 200
    ? new PullEnded("unreadable", `What it answered for ${what} is no JSON.`)
    : refused(what, status);
}

function refused(what: string, status: number): PullEnded {
  const sentence = `Asked for ${what}, it answered ${status}.`;
  if (status === 401 || status === 403) return new PullEnded("refused_credentials", sentence);
  if (status === 408 || status === 429 || status >= 500) return new PullEnded("unreachable", sentence);
  return new PullEnded(status === 404 || status === 410 ? "incomplete" : "unreadable", sentence);
}

/** Milliseconds from Retry-After, which is a number of seconds or a date. */
function pauseIn(result: HttpResult): number | undefined {
  if (!("status" in result) || (result.status !== 429 && result.status !== 503)) return undefined;
  const text = result.headers?.["retry-after"];
  if (text === undefined) return undefined;
  const pause = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(pause) ? undefined : Math.min(Math.max(pause, 0), mostPause);
}
