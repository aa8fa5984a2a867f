import assert from "node:assert/strict";

// The real ones, also while a test plays with the clock.
const { setTimeout } = globalThis;
const now = performance.now.bind(performance);

const LOOK_MILLISECONDS = 5;

/** Looks again and again until `holds`; rejects after 15 s unless said. What has to run meanwhile has the processor to itself. */
export async function until(holds: () => boolean | Promise<boolean>, milliseconds = 15_000): Promise<void> {
  const end = now() + milliseconds;
  while (!(await holds())) {
    assert.ok(now() < end, "what was waited for never came");
    await new Promise<void>((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
  }
}
