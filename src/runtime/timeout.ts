/** Resolves as the promise does, or to undefined after this many milliseconds. The promise itself is not cancelled. */
export async function withTimeout<Value>(promise: Promise<Value>, milliseconds: number): Promise<Value | undefined> {
  const over = Promise.withResolvers<undefined>();
  const timer = setTimeout(over.resolve, Math.max(0, milliseconds), undefined);
  try {
    return await Promise.race([promise, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
