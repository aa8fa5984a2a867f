import { setTimeout as pause } from "node:timers/promises";
import { moment, startTime } from "../../declare/command/forms.ts";
import { isRow } from "../../declare/command/projected.ts";
import { InputError } from "../../declare/command/read-texts.ts";
import type { Operation } from "../../declare/operation.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import { parseJsonObject } from "./render.ts";
import { type CallResponse, NoAnswerError } from "./send-call.ts";

/** Seconds between two calls, unless the rate limit makes us wait longer. */
const pace = 2;
/** Seconds until the next call if the service is away, or fails without a `Retry-After`. */
const patience = 10;

export interface Following {
  call: (after: string | undefined) => Promise<CallResponse>;
  /** Prints the new entries, oldest first. The next call waits for the returned promise. */
  print: (entries: readonly Record<string, unknown>[]) => Promise<void> | void;
  /** Says why no entries come at the moment. */
  note: (sentence: string) => void;
  stop: AbortSignal;
}

/**
 * Calls an operation that lists new entries again and again, each time from the `next` of the last response. After the
 * first page, keeps trying while the service is away, or answers 429 or at least 500. Resolves to the last `next`, and
 * to the response that ended the feed.
 */
export async function followFeed({
  call,
  print,
  note,
  stop,
}: Following): Promise<{ next: string | undefined; last?: CallResponse }> {
  let next: string | undefined;
  let before = new Set<string>();
  while (!stop.aborted) {
    const response = await call(next).catch((error: unknown) => {
      if (next === undefined || !(error instanceof NoAnswerError)) throw error;
      note(error.message);
      return undefined;
    });
    const body = response && parseJsonObject(response.text);
    if (response?.status === 200 && isPage(body, next)) {
      // The last seconds may be listed twice, so entries of the previous response are left out.
      const entries = new Map(body.data.map((entry) => [JSON.stringify(entry), entry]));
      const came = [...entries].filter(([text]) => !before.has(text)).map(([, entry]) => entry);
      if (came.length > 0) await print(came);
      before = new Set(entries.keys());
      next = body.next;
    } else if (response && (next === undefined || !(response.status === 429 || response.status >= 500)))
      return { next, last: response };
    const seconds = body?.more === true ? 0 : restOf(response);
    await pause(seconds * 1000, undefined, { signal: stop }).catch(() => {});
  }
  return { next };
}

interface Page {
  data: Record<string, unknown>[];
  next: string;
  more?: unknown;
}

/** Whether a feed can go on from this body, whose form is checked because any server may be at the address. */
function isPage(body: Partial<Record<keyof Page, unknown>> | undefined, after: string | undefined): body is Page {
  const areEntries = Array.isArray(body?.data) && body.data.every(isRow);
  return areEntries && typeof body.next === "string" && !(body.more === true && body.next === after);
}

/**
 * Returns the seconds until the next call: those of `Retry-After`, or enough that the remaining calls last until the
 * window of the rate limit ends.
 */
export function restOf(response: Pick<CallResponse, "status" | "headers"> | undefined): number {
  if (response?.status !== 200) return Number(response?.headers["retry-after"]) || patience;
  const [, left, reset] = /;r=(\d+);t=(\d+)/.exec(String(response.headers.ratelimit)) ?? [];
  return left === undefined ? pace : Math.max(pace, Number(reset) / (Number(left) + 1));
}

export const beginningForm =
  "a time ago such as 30min, a day or a time such as 2026-11-01T08:00, 0 for the oldest, " +
  "or the `next` of an earlier answer";

/** How many entries a page has while we look for the beginning time. */
const largestPage = "1000";

/**
 * Returns where a feed begins: the members of its first call, and a time in milliseconds since 1970. Earlier entries
 * are left out. Only the entries have times, so the feed is read from the oldest one.
 */
export function beginning(
  { input }: Operation<never>,
  members: ReadonlyMap<string, string>,
  since: string | undefined,
  zone: TimeZone,
): { members: ReadonlyMap<string, string>; from?: number } {
  if (since === undefined) return { members };
  if (members.has("after")) throw new InputError("--since and after both say where to begin: give one.");
  const { pattern } = input.properties.after as { pattern?: string };
  if (new RegExp(pattern!).test(since)) return { members: new Map([...members, ["after", since]]) };
  const from = moment.read(since, zone) ?? startTime.read(since, zone);
  if (from === undefined) throw new InputError(`--since must be ${beginningForm}.`);
  return { members: new Map([["limit", largestPage], ...members, ["after", "0"]]), from };
}
