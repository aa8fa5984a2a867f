import assert from "node:assert/strict";

// Kept from before any test replaces them with mocks.
const { setTimeout } = globalThis;
const now = performance.now.bind(performance);

/** Shortest and longest pause between two checks, in milliseconds. The pause grows with time. */
const [shortest, longest] = [5, 50];

/**
 * Checks again and again until `holds` returns true. Rejects after a minute by default. Pauses grow, to leave the CPU
 * to the work that the test waits for.
 */
export async function until(holds: () => boolean | Promise<boolean>, milliseconds = 60_000): Promise<void> {
  const begun = now();
  while (!(await holds())) {
    const waited = now() - begun;
    assert.ok(waited < milliseconds, "what was waited for never came");
    const pause = Math.min(longest, Math.max(shortest, waited / 10));
    await new Promise<void>((resolve) => setTimeout(resolve, pause));
  }
}

/** Calls `ask` until the response is as expected, and returns it. */
export async function noticed<Told>(ask: () => Promise<Told>, isAwaited: (response: Told) => boolean): Promise<Told> {
  let response: Told;
  await until(async () => {
    response = await ask();
    return isAwaited(response);
  });
  return response!;
}
