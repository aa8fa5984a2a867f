import { mock } from "node:test";

/**
 * Played timers that several test files of one process can use. Node takes another timer out of its queue when a timer of an
 * earlier test is cleared while a later test plays: then the later one waits for ever. And it never clears a real timer that is
 * cleared meanwhile. So each timer goes back to where it comes from.
 */
const prototype = Object.getPrototypeOf(mock.timers) as typeof mock.timers;
const { enable } = prototype;
const clearReal = globalThis.clearTimeout;

prototype.enable = function (options) {
  enable.call(this, options);
  // It plays with other things than time-outs.
  if (globalThis.clearTimeout === clearReal) return;
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const own = new WeakSet<object>();
  globalThis.setTimeout = ((...words: Parameters<typeof set>) => {
    const timer = set(...words);
    own.add(timer);
    return timer;
  }) as typeof set;
  globalThis.clearTimeout = (timer) => {
    if (typeof timer === "object" && !own.has(timer)) clearReal(timer);
    else clear(timer);
  };
};
