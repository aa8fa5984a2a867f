import { AsyncLocalStorage } from "node:async_hooks";

/** For the file to open, or the server to let us in. */
export const OPEN_MILLISECONDS = 5_000;

/** How long an open store is waited for, in milliseconds. */
export interface StoreTimeouts {
  /** For a statement by itself, or the begin of a transaction, while nothing is heard of the store. */
  readonly alone: number;
  /** For each statement of a transaction; also for a turn, while the store works off what came before. */
  readonly inside: number;
  /** How long a transaction may ask nothing before it is rolled back. */
  readonly idle: number;
}

/** In a process that serves: whoever sent the request hears within a second, also when a quick statement went before. */
export const servingTimeouts: StoreTimeouts = { alone: 700, inside: 10_000, idle: 15_000 };

/** In a command beside the service, which may wait for its turn. */
export const commandTimeouts: StoreTimeouts = { alone: 10_000, inside: 10_000, idle: 15_000 };

/** The longest that a timer takes. */
const forever = 2 ** 31 - 1;

/** Migrations take the time that the tables need, and wait for those of another process; so do copies of the whole store. */
export const migrationTimeouts: StoreTimeouts = { alone: 10_000, inside: forever, idle: forever };

const longer = new AsyncLocalStorage<number>();

/** Runs `work`, whose statements by themselves are waited for up to so many milliseconds if that is longer than usual. */
export function withLongerTimeout<Value>(milliseconds: number, work: () => Promise<Value>): Promise<Value> {
  return longer.run(milliseconds, work);
}

/** The patience of whoever asks now: `usual`, or longer within `withLongerTimeout`. */
export function currentTimeouts(usual: StoreTimeouts): StoreTimeouts {
  const alone = longer.getStore() ?? 0;
  return alone <= usual.alone ? usual : { ...usual, alone, inside: Math.max(usual.inside, alone) };
}

/** Milliseconds that something asked at `asked` may still wait for its turn, with the store last heard of at `heard`. */
export function remainingTime({ alone, inside }: StoreTimeouts, asked: number, heard: number): number {
  return Math.min(Math.max(asked, heard) + alone, asked + inside) - performance.now();
}

/**
 * What `answer` gives, or a rejection with `late()` as soon as `left` says that no milliseconds are left. What has arrived
 * by then is heard first: a busy event loop may come to the timer before it comes to the answer.
 */
export async function answerBefore<Value>(
  answer: Promise<Value>,
  left: () => number,
  late: () => Error,
): Promise<Value> {
  const over = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout;
  let isSettled = false;
  const watch = () => {
    if (isSettled) return;
    const milliseconds = left();
    if (milliseconds <= 0) over.reject(late());
    else timer = setTimeout(() => setImmediate(watch), milliseconds);
  };
  watch();
  try {
    return await Promise.race([answer, over.promise]);
  } finally {
    isSettled = true;
    clearTimeout(timer!);
  }
}
