import hooks, { createHook } from "node:async_hooks";
import { relative } from "node:path";

/**
 * Runs the test files that its arguments name, one after another, and writes what their tests say to standard output. Sends
 * its parent a `ShareResult` in the end.
 */

export interface Counts {
  tests: number;
  passed: number;
  failed: number;
  cancelled: number;
  skipped: number;
}

/** Milliseconds: how long the tests of a file took, and the processor time of this process meanwhile. */
export interface Times {
  wall: number;
  cpu: number;
}

export interface ShareResult {
  counts: Counts;
  times: Record<string, Times>;
}

/** Milliseconds: a test that runs longer hangs, also on a machine much slower than most. */
const longestTest = 300_000;

// Node's runner follows every promise to name the test that left a rejection behind, which takes a fifth of all processor time.
// Without that a rejection still fails the run, and its stack says where it comes from.
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
process.on("unhandledRejection", (error) => console.error(error));
await import("./support/played-timers.ts");
const { run } = await import("node:test");
const { spec } = await import("node:test/reporters");

const times: Record<string, Times> = {};
let before = process.cpuUsage();
const events = run({ files: process.argv.slice(2), isolation: "none", timeout: longestTest });
events.on("test:complete", ({ nesting, file, details }) => {
  if (nesting > 0 || file === undefined) return;
  const { user, system } = process.cpuUsage(before);
  before = process.cpuUsage();
  const name = relative(process.cwd(), file);
  const { wall, cpu } = times[name] ?? { wall: 0, cpu: 0 };
  times[name] = { wall: wall + details.duration_ms, cpu: cpu + (user + system) / 1000 };
});
events.on("test:summary", ({ success, counts }) => {
  if (!success) process.exitCode = 1;
  // The types do not know `failed`.
  process.send?.({ counts: counts as unknown as Counts, times } satisfies ShareResult);
});
events.compose(spec).pipe(process.stdout);
