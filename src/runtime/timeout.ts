/** What a promise gives within some milliseconds, or undefined when they are over first. The promise goes on. */
export async function withTimeout<Value>(promise: Promise<Value>, milliseconds: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, milliseconds), undefined);
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}
