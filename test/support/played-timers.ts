import { mock } from "node:test";

/**
 * Makes mocked timers safe if several test files share a process: `clearTimeout` then goes to the clock that set the
 * timer. Node's mocked `clearTimeout` mistakes a timer of an earlier test for its own, and removes another timer, which
 * then never fires. It also leaves real timers running.
 */
const prototype = Object.getPrototypeOf(mock.timers) as typeof mock.timers;
const { enable } = prototype;
const clearReal = globalThis.clearTimeout;

prototype.enable = function (options) {
  enable.call(this, options);
  // This mock does not replace `setTimeout`, so nothing is to do.
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
