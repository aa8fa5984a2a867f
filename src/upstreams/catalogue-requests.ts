import { setTimeout as sleep } from "node:timers/promises";
import type { Allowance, HttpClient, HttpResult } from "./http-client.ts";
import type { Origin, Pull, Pulled, PullFault } from "./ports/catalogue-source.ts";

/** The most that one pull may ask for: requests, bytes of one answer, bytes of all. */
const mostRequests = 1_000;
const mostBytes = 8 * 1024 * 1024;
const mostBytesOfAll = 32 * 1024 * 1024;

/** Milliseconds: a source that asks for a longer pause is asked again by a later pull. */
const longestPause = 30_000;
/** The longest pause that is kept to. */
const mostPause = 24 * 3_600_000;

const wantedHeaders = ["etag", "retry-after", "duba-catalogue-as-of", "duba-catalogue-stale"];

/** Ends a pull: what was read so far is dropped. The message is a sentence of ours. */
export class PullEnded extends Error {
  readonly kind: PullFault;
  /** Milliseconds that the source asks to be left alone. */
  readonly retryAfter: number | undefined;

  constructor(kind: PullFault, sentence: string, retryAfter?: number) {
    super(sentence);
    this.kind = kind;
    this.retryAfter = retryAfter;
  }
}

/** Something to ask for. */
export interface Wanted<Answer> {
  /** Names it in sentences, such as "the bundles of MTNDATA". */
  what: string;
  url: string;
  headers: Record<string, string>;
  /** Undefined: the body has another shape. */
  read: (body: unknown) => Answer | undefined;
  /** Why a body is no answer, where it says so itself: completes "it answered …". */
  failureIn?: (body: unknown) => { kind: PullFault; said: string } | undefined;
}

/** An answer that came with a validator. */
interface Known {
  etag: string;
  /** Bytes of its body. */
  size: number;
  answer: unknown;
}

/** The requests of one pull, one after the other: no more of them, and no more bytes, than a catalogue may need. */
export class Requests {
  readonly #http: HttpClient;
  readonly #signal: AbortSignal;
  readonly #known: ReadonlyMap<string, Known>;
  /** What is known after this pull. */
  readonly answers = new Map<string, Known>();
  readonly #allowance: Allowance = { each: mostBytes, left: mostBytesOfAll };
  /** How old the source says that its own lists are: of several answers the oldest. */
  origin: Origin | undefined;
  #left = mostRequests;

  constructor(http: HttpClient, signal: AbortSignal, known: ReadonlyMap<string, Known>) {
    this.#http = http;
    this.#signal = signal;
    this.#known = known;
  }

  /** Waits where the source asks for a short pause. Throws `PullEnded` for all but a good answer. */
  async get<Answer>({ what, url, headers, read, failureIn }: Wanted<Answer>): Promise<Answer> {
    const known = this.#known.get(url);
    const { result, size } = await this.#ask(what, url, headers, known?.etag);
    const { status, body, headers: { etag } = {} } = result;
    if (status === 304 && known) return this.#again(what, url, known) as Answer;
    const failure = failureIn?.(body);
    if (failure) throw new PullEnded(failure.kind, `Asked for ${what}, it answered ${failure.said}.`);
    if (status !== 200) throw refused(what, status);
    const answer = read(body);
    if (answer === undefined) throw new PullEnded("unreadable", `What it answered for ${what} has another shape.`);
    if (etag !== undefined) this.answers.set(url, { etag, size, answer });
    return answer;
  }

  async #ask(what: string, url: string, headers: Record<string, string>, knownEtag: string | undefined) {
    for (;;) {
      this.#left -= 1;
      if (this.#left < 0)
        throw new PullEnded("unreadable", `It takes more than ${mostRequests} requests to read it all.`);
      const before = this.#allowance.left;
      const result = await this.#http.send({
        ...{ method: "GET", url, headers, signal: this.#signal },
        ...{ allowance: this.#allowance, knownEtag, wantedHeaders },
      });
      const pause = pauseIn(result);
      if (pause === undefined) {
        if (result.kind !== "answered") throw unanswered(what, result);
        this.#note(result.headers ?? {});
        return { result, size: before - this.#allowance.left };
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

  /** What is kept counts like what is read: it takes the same memory. */
  #again(what: string, url: string, known: Known): unknown {
    this.#allowance.left -= known.size;
    if (this.#allowance.left < 0) throw tooLarge(what);
    this.answers.set(url, known);
    return known.answer;
  }
}

type Whole = Extract<Pulled, { kind: "whole" }>;

/** Makes a pull of what is to be asked for. Answers with a validator are kept from one whole pull to the next. */
export function pulling(http: HttpClient, ask: (requests: Requests, signal: AbortSignal) => Promise<Whole>): Pull {
  let known: ReadonlyMap<string, Known> = new Map();
  return async (signal) => {
    const requests = new Requests(http, signal, known);
    try {
      const whole = await ask(requests, signal);
      // A pull that asked only for changes leaves what is known of the lists.
      if (requests.answers.size > 0) known = requests.answers;
      const { origin } = requests;
      return { ...whole, ...(origin && { origin }) };
    } catch (error) {
      if (error instanceof PullEnded) {
        const { kind, message: sentence, retryAfter } = error;
        return { kind, sentence, ...(retryAfter !== undefined && { retryAfter }) };
      }
      throw error;
    }
  };
}

function unanswered(what: string, result: Exclude<HttpResult, { kind: "answered" }>): PullEnded {
  if (result.kind !== "unreadable")
    return new PullEnded("unreachable", `Asked for ${what}, it did not answer (${result.code}).`);
  const { status, code } = result;
  if (code === "too_large") return tooLarge(what);
  if (code === "redirect") return new PullEnded("unreadable", `Asked for ${what}, it pointed elsewhere (${status}).`);
  return status === 200
    ? new PullEnded("unreadable", `What it answered for ${what} is no JSON.`)
    : refused(what, status);
}

function tooLarge(what: string): PullEnded {
  return new PullEnded("unreadable", `What it answered for ${what} is too large.`);
}

function refused(what: string, status: number): PullEnded {
  const sentence = `Asked for ${what}, it answered ${status}.`;
  if (status === 401 || status === 403) return new PullEnded("refused_credentials", sentence);
  if (status === 408 || status === 429 || status >= 500) return new PullEnded("unreachable", sentence);
  return new PullEnded(status === 404 || status === 410 ? "incomplete" : "unreadable", sentence);
}

/** Milliseconds for which an answer asks to be left alone: Retry-After in seconds or as a date. */
function pauseIn(result: HttpResult): number | undefined {
  if (!("status" in result) || (result.status !== 429 && result.status !== 503)) return undefined;
  const text = result.headers?.["retry-after"];
  if (text === undefined) return undefined;
  const pause = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(pause) ? undefined : Math.min(Math.max(pause, 0), mostPause);
}
