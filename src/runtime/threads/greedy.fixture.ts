/** Functions that tests run in a thread. */
export function* multiples(bytes: Uint8Array, last: number): Generator<number, void> {
  for (let n = 1; n <= last; n += 1) yield n * bytes.length;
}

// biome-ignore lint/correctness/useYield: It never comes so far.
export function* endless(): Generator<never, void> {
  for (;;);
}

// biome-ignore lint/correctness/useYield: It never comes so far.
export function* hoard(): Generator<never, void> {
  const all: number[][] = [];
  for (;;) all.push(new Array(1_000_000).fill(all.length));
}

// biome-ignore lint/correctness/useYield: It fails before.
export function* failing(): Generator<never, void> {
  throw new TypeError("This went wrong");
}
