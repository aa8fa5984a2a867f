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
