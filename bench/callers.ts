/** What callers saw. */
export interface Seen {
  /** Answers a second. */
  rate: number;
  /** Of each response, in milliseconds. */
  latencies: number[];
}

/** Runs this many callers at once. Each sends its next request after its last response, while `goesOn` returns true. */
export async function callers(count: number, goesOn: () => boolean, ask: () => Promise<unknown>): Promise<Seen> {
  const latencies: number[] = [];
  const start = performance.now();
  const caller = async () => {
    while (goesOn()) {
      const asked = performance.now();
      await ask();
      latencies.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: count }, caller));
  return { rate: (latencies.length / (performance.now() - start)) * 1000, latencies };
}

export function forSeconds(seconds: number): () => boolean {
  const end = performance.now() + seconds * 1000;
  return () => performance.now() < end;
}
