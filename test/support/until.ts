import assert from "node:assert/strict";

// The real ones, also while a test plays with the clock.
const { setTimeout } = globalThis;
const now = performance.now.bind(performance);

/** Pauses between two looks: at first the one, and ever longer up to the other. Milliseconds. */
const [shortest, longest] = [5, 50];

/**
 * Looks again and again until `holds`. Rejects after a minute: a test that promises less time says so itself. The
 * longer it waits, the less often it looks, so that the processor is free for the work that it waits for.
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

/**
 * Asks until the response is as awaited, and gives that answer: what another process does is noticed within seconds.
 */
export async function noticed<Told>(ask: () => Promise<Told>, isAwaited: (response: Told) => boolean): Promise<Told> {
  let response: Told;
  await until(async () => {
    response = await ask();
    return isAwaited(response);
  });
  return response!;
}
