/** Milliseconds within which the same signal is the same request to stop. */
const sameSignal = 500;

/**
 * Calls `stop` at the first SIGTERM or SIGINT, and `end` at a second one. Returns a function that stops listening for them.
 */
export function onStopSignals(stop: (signal: NodeJS.Signals) => void, end: () => void): () => void {
  let first: { signal: NodeJS.Signals; at: number } | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    const at = performance.now();
    // One Ctrl-C reaches us twice: from the terminal, and from npm or the process that supervises us.
    if (first?.signal === signal && at - first.at < sameSignal) return;
    if (first) return end();
    first = { signal, at };
    stop(signal);
  };
  process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
  return () => process.off("SIGTERM", onSignal).off("SIGINT", onSignal);
}
