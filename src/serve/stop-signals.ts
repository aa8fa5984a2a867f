/** Milliseconds within which the same signal is the same request to stop. */
const sameSignal = 500;

/** What to do at SIGTERM or SIGINT. */
export interface OnStop {
  /** At the first one. */
  stop: (signal: NodeJS.Signals) => void;
  /** Milliseconds after the first one within which another one means `hurry`, once. */
  delay?: number;
  hurry?: (signal: NodeJS.Signals) => void;
  /** At a later one. */
  end: () => void;
}

/** Acts on SIGTERM and SIGINT. Returns a function that stops listening for them. */
export function onStopSignals({ stop, delay = 0, hurry, end }: OnStop): () => void {
  let last: { signal: NodeJS.Signals; at: number } | undefined;
  let hurriesUntil = Number.NEGATIVE_INFINITY;
  const onSignal = (signal: NodeJS.Signals) => {
    const at = performance.now();
    // One Ctrl-C reaches us twice: from the terminal, and from npm or the process that supervises us.
    if (last?.signal === signal && at - last.at < sameSignal) return;
    const isFirst = last === undefined;
    last = { signal, at };
    if (isFirst) {
      hurriesUntil = at + delay;
      return stop(signal);
    }
    if (at >= hurriesUntil) return end();
    hurriesUntil = Number.NEGATIVE_INFINITY;
    hurry?.(signal);
  };
  process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
  return () => process.off("SIGTERM", onSignal).off("SIGINT", onSignal);
}
