/**
 * Returns `work` as a function that never runs twice at once: calls made while it runs share that run and its outcome.
 */
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
 * The same where a run may have begun too early for who asks: calls made while it runs share another one, which begins
 * after it.
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
