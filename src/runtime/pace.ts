import { setImmediate as turn } from "node:timers/promises";

/** Milliseconds of work between two pauses. In each pause the event loop accepts one new connection. */
const SLICE = 2;

/** Awaited between two entries of a long loop. */
export type Pause = () => Promise<void> | undefined;

/** For loops over a whole catalogue: lets the event loop run after each slice of time, so that look-ups do not wait. */
export function pacer(): Pause {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SLICE) return undefined;
    return turn().then(() => {
      since = performance.now();
    });
  };
}
