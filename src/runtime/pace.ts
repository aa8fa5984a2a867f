import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";

/** Milliseconds of work after which others get their turn. */
const SLICE = 8;

/** Waited for between two entries of a long loop. */
export type Pause = () => Promise<void> | undefined;

/**
 * For loops over a whole catalogue: called between two entries, it lets the event loop turn when a slice of time is used up.
 * Look-ups are answered meanwhile.
 */
export function pacer(): Pause {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SLICE) return undefined;
    return turn().then(() => {
      since = performance.now();
    });
  };
}

/**
 * For many transactions one after the other: each begins only after a rest as long as the one before took. Other processes
 * that write to the same SQLite file ask for it now and then, and would otherwise seldom find it free.
 */
export function rester(): <Result>(transaction: () => Promise<Result>) => Promise<Result> {
  let took = 0;
  return async (transaction) => {
    if (took > 0) await sleep(took);
    const start = performance.now();
    try {
      return await transaction();
    } finally {
      took = performance.now() - start;
    }
  };
}
