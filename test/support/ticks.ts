/** Returns the number of the event-loop tick in which each promise resolved. */
export async function ticksOf(promises: readonly Promise<unknown>[]): Promise<number[]> {
  let tick = 0;
  let timer = setImmediate(function count() {
    tick += 1;
    timer = setImmediate(count);
  });
  try {
    return await Promise.all(promises.map((promise) => promise.then(() => tick)));
  } finally {
    clearImmediate(timer);
  }
}
