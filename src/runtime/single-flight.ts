/** Returns `work` as a function that never runs twice at once: calls during a run share that run and its outcome. */
export function singleFlight<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/**
 * Like `singleFlight`, but each call gets a run that begins after the call: calls made during a run share the next run,
 * which begins when the current run ends.
 */
export function followingFlight<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  let next: Promise<Value> | undefined;
  const begin = (): Promise<Value> => {
    next = undefined;
    running = work().finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (!running) return begin();
    next ??= running.then(begin, begin);
    return next;
  };
}
