import { setImmediate as turn } from "node:timers/promises";

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
