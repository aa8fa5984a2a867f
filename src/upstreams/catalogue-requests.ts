import type { Pull, Pulled, PullFault } from "./catalogue-source.ts";
import type { Allowance, Exchange, Exchanged } from "./exchange.ts";

/** The most that one pull may ask for: requests, bytes of one answer, bytes of all. */
const mostRequests = 1_000;
const mostBytes = 8 * 1024 * 1024;
const mostBytesOfAll = 32 * 1024 * 1024;

const revisionHeader = "duba-catalogue-revision";

/** Ends a pull: what was read so far is dropped. The message is a sentence of ours. */
export class PullEnded extends Error {
  readonly kind: PullFault;

  constructor(kind: PullFault, sentence: string) {
    super(sentence);
    this.kind = kind;
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
  readonly #exchange: Exchange;
  readonly #signal: AbortSignal;
  readonly #known: ReadonlyMap<string, Known>;
  /** What is known after this pull. */
  readonly answers = new Map<string, Known>();
  readonly #allowance: Allowance = { each: mostBytes, left: mostBytesOfAll };
  #left = mostRequests;
  #revision: string | undefined;

  constructor(exchange: Exchange, signal: AbortSignal, known: ReadonlyMap<string, Known>) {
    this.#exchange = exchange;
    this.#signal = signal;
    this.#known = known;
  }

  /** Throws `PullEnded` for all but a good answer. */
  async get<Answer>({ what, url, headers, read, failureIn }: Wanted<Answer>): Promise<Answer> {
    this.#left -= 1;
    if (this.#left < 0)
      throw new PullEnded("unreadable", `It takes more than ${mostRequests} requests to read it all.`);
    const known = this.#known.get(url);
    const before = this.#allowance.left;
    const exchanged = await this.#exchange.ask({
      ...{ method: "GET", url, headers, signal: this.#signal },
      ...{ allowance: this.#allowance, knownEtag: known?.etag, tell: ["etag", revisionHeader] },
    });
    if (exchanged.kind !== "answered") throw unanswered(what, exchanged);
    const { status, body, headers: { etag, [revisionHeader]: revision } = {} } = exchanged;
    this.#sameRevision(revision);
    if (status === 304 && known) return this.#again(what, url, known) as Answer;
    const failure = failureIn?.(body);
    if (failure) throw new PullEnded(failure.kind, `Asked for ${what}, it answered ${failure.said}.`);
    if (status !== 200) throw refused(what, status);
    const answer = read(body);
    if (answer === undefined) throw new PullEnded("unreadable", `What it answered for ${what} has another shape.`);
    if (etag !== undefined) this.answers.set(url, { etag, size: before - this.#allowance.left, answer });
    return answer;
  }

  /** A server that names its revision must not change it in between: its lists would not belong together. */
  #sameRevision(revision: string | undefined): void {
    if (revision !== undefined && revision !== (this.#revision ?? revision))
      throw new PullEnded("incomplete", "The catalogue there was changed while it was read.");
    this.#revision ??= revision;
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
export function pulling(exchange: Exchange, ask: (requests: Requests, signal: AbortSignal) => Promise<Whole>): Pull {
  let known: ReadonlyMap<string, Known> = new Map();
  return async (signal) => {
    const requests = new Requests(exchange, signal, known);
    try {
      const whole = await ask(requests, signal);
      known = requests.answers;
      return whole;
    } catch (error) {
      if (error instanceof PullEnded) return { kind: error.kind, sentence: error.message };
      throw error;
    }
  };
}

function unanswered(what: string, exchanged: Exclude<Exchanged, { kind: "answered" }>): PullEnded {
  if (exchanged.kind !== "unreadable")
    return new PullEnded("unreachable", `Asked for ${what}, it did not answer (${exchanged.code}).`);
  const { status, code } = exchanged;
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
