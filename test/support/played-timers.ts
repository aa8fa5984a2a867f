import { mock } from "node:test";

/**
 * Makes played timers safe where several test files share a process: the clock that set a timer also clears it. Node's
 * played `clearTimeout` takes a timer of an earlier test for one of its own and removes another one, which then never
 * fires. And it does not clear real timers.
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
