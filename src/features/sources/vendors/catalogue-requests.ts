import { setTimeout as sleep } from "node:timers/promises";
import type { Allowance, HttpResult, VendorClient } from "../../../vendors/vendor-client.ts";
import type { Origin, Pull, PullError, Pulled } from "./catalogue-source.ts";

/** The most that one pull may request and read: requests, bytes of one response, bytes of all. */
const mostRequests = 1_000;
const mostBytes = 8 * 1024 * 1024;
const mostBytesOfAll = 32 * 1024 * 1024;

/** Milliseconds. If a source wants longer pauses in one pull, the pull ends and a later one tries again. */
const longestPauses = 30_000;
/** Milliseconds. We wait no longer than this, whatever the source wants. */
const mostPause = 24 * 3_600_000;

const wantedHeaders = ["retry-after", "duba-catalogue-as-of", "duba-catalogue-stale"];

/** Ends a pull without a result. Its message is Duba's own and contains no vendor's text. */
export class PullEnded extends Error {
  readonly kind: PullError;
  /** Milliseconds for which the source wants no requests. */
  readonly retryAfter: number | undefined;

  constructor(kind: PullError, sentence: string, retryAfter?: number) {
    super(sentence);
    this.kind = kind;
    this.retryAfter = retryAfter;
  }
}

/** The source does not have the requested list, and never had: the source does not know the path. */
export class NoSuchList extends PullEnded {}

/** A request to a source. */
export interface SourceRequest<Response> {
  /** Names the requested data in sentences, such as "the bundles of MTNDATA". */
  what: string;
  url: string;
  headers: Record<string, string>;
  /** Sent as JSON by POST. Default: none, and the request is a GET. */
  body?: object;
  /** Reads a body. Undefined if the body has another shape. */
  read: (body: unknown) => Response | undefined;
  /** The failure that a body reports: `said` completes "it answered …". */
  failureIn?: (body: unknown) => { kind: PullError; said: string } | undefined;
  /** Whether the body of a 404 says that the source knows no such path. */
  saysNoPath?: (body: unknown) => boolean;
}

/** Waits if the source wants a short pause. Throws `PullEnded` for all but a good response. */
export type Get = <Response>(request: SourceRequest<Response>) => Promise<Response>;

type Whole = Extract<Pulled, { kind: "whole" }>;

/** Turns the requests of an adapter, one after the other, into a pull within the limits above. */
export function pulling(http: VendorClient, read: (get: Get, signal: AbortSignal) => Promise<Whole>): Pull {
  return async (signal) => {
    const allowance: Allowance = { each: mostBytes, left: mostBytesOfAll };
    let requestsLeft = mostRequests;
    let pauseLeft = longestPauses;
    let origin: Origin | undefined;

    const send = async ({ what, url, headers, body }: Omit<SourceRequest<never>, "read">) => {
      const request = body
        ? ({ method: "POST", url, headers, body } as const)
        : ({ method: "GET", url, headers } as const);
      for (;;) {
        requestsLeft -= 1;
        if (requestsLeft < 0)
          throw new PullEnded("unreadable", `It takes more than ${mostRequests} requests to read it all.`);
        const result = await http.send({ ...request, signal, allowance, wantedHeaders });
        const pause = pauseIn(result);
        if (pause === undefined) return result;
        const seconds = Math.ceil(pause / 1000);
        const sentence = `Asked for ${what}, it was too busy and asked for a pause of ${seconds} s.`;
        const ended = new PullEnded("unreachable", sentence, pause);
        if (pause > pauseLeft) throw ended;
        const kept = Math.max(pause, 100);
        pauseLeft -= kept;
        await sleep(kept, undefined, { signal }).catch(() => {
          throw ended;
        });
      }
    };
    const get: Get = async ({ read, failureIn, saysNoPath, ...request }) => {
      const { what } = request;
      const result = await send(request);
      if (result.kind !== "answered") throw unanswered(what, result);
      origin = older(origin, result.headers ?? {});
      const { status, body } = result;
      const failure = failureIn?.(body);
      if (failure) throw new PullEnded(failure.kind, `Asked for ${what}, it answered ${failure.said}.`);
      if (status === 404 && saysNoPath?.(body)) throw new NoSuchList("incomplete", `It has no place for ${what}.`);
      if (status !== 200) throw refused(what, status);
      const response = read(body);
      if (response === undefined) throw new PullEnded("unreadable", `What it answered for ${what} has another shape.`);
      return response;
    };

    try {
      const whole = await read(get, signal);
      return { ...whole, ...(origin && { origin }) };
    } catch (error) {
      if (!(error instanceof PullEnded)) throw error;
      const { kind, message: sentence, retryAfter } = error;
      return { kind, sentence, ...(retryAfter !== undefined && { retryAfter }) };
    }
  };
}

/** The age of the source's own lists after one more response: of several responses the oldest counts. */
function older(
  origin: Origin | undefined,
  { "duba-catalogue-as-of": text = "", "duba-catalogue-stale": stale }: Record<string, string>,
): Origin | undefined {
  const asOf = Date.parse(text);
  if (Number.isNaN(asOf) && stale === undefined) return origin;
  const oldest = Math.min(origin?.asOf ?? Number.POSITIVE_INFINITY, asOf || Number.POSITIVE_INFINITY);
  return {
    asOf: Number.isFinite(oldest) ? oldest : null,
    isStale: origin?.isStale === true || stale === "true",
  };
}

function unanswered(what: string, result: Exclude<HttpResult, { kind: "answered" }>): PullEnded {
  if (result.kind !== "unreadable")
    return new PullEnded("unreachable", `Asked for ${what}, it did not answer (${result.code}).`);
  const { status, code } = result;
  if (code === "too_large") return new PullEnded("unreadable", `What it answered for ${what} is too large.`);
  if (code === "stand_in")
    return new PullEnded(
      "unreadable",
      `Asked for ${what}, a stand-in answered. Set the source's own address, or rehearse with DUBA_STAND_INS=on and a new data directory or database.`,
    );
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
