import hooks, { createHook } from "node:async_hooks";
import { readFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { relative } from "node:path";

/**
 * Runs the test files that its arguments name, one after another, and prints their results. Sends its parent a
 * `ShareTest` as each test begins, and a `ShareResult` at the end.
 */

export interface Counts {
  tests: number;
  passed: number;
  failed: number;
  cancelled: number;
  skipped: number;
}

/**
 * Milliseconds: how long the tests of a file took, and the processor time of this process and its children meanwhile.
 */
export interface Times {
  wall: number;
  cpu: number;
}

export interface ShareResult {
  counts: Counts;
  times: Record<string, Times>;
}

/** The current test of a share: its file, the names of its suites, and its own name. */
export interface ShareTest {
  test: string;
}

/** Milliseconds. A test that runs longer than this counts as hanging, even on a slow machine. */
const longestTest = 300_000;

// The real timers, because a test that plays with the clock must not end the share.
const { setTimeout, clearTimeout } = globalThis;

/**
 * Milliseconds in which no test begins or ends. After them the process ends: the last test has left something open, or
 * a test hangs.
 */
const openFor = longestTest + 60_000;

// Node's runner follows every promise, to name the test of an unhandled rejection, which takes a fifth of all processor
// time. Without that a rejection still fails the run, and its stack shows the source.
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
process.on("unhandledRejection", (error) => console.error(error));
await import("./support/played-timers.ts");
const { run } = await import("node:test");
const { spec } = await import("node:test/reporters");

/** Milliseconds of processor time of this process so far, and, where the system reports that, of its ended children. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1000;
  try {
    const [, fields] = readFileSync("/proc/self/stat", "utf8").split(") ") as [string, string];
    const [ofUser, ofSystem] = fields.split(" ").slice(13, 15).map(Number) as [number, number];
    // The kernel counts in hundredths of a second.
    return own + (ofUser + ofSystem) * 10;
  } catch {
    return own;
  }
}

const times: Record<string, Times> = {};
let before = processorTime();
const events = run({ files: process.argv.slice(2), isolation: "none", timeout: longestTest });
// Other processes need not compile again what this process compiled to start.
events.once("test:start", () => flushCompileCache());
events.on("test:complete", ({ nesting, file, details }) => {
  if (nesting > 0 || file === undefined) return;
  const sinceBefore = processorTime() - before;
  before += sinceBefore;
  const name = relative(process.cwd(), file);
  const { wall, cpu } = times[name] ?? { wall: 0, cpu: 0 };
  times[name] = { wall: wall + details.duration_ms, cpu: cpu + sinceBefore };
});
/** The tests that began and did not end, the outer ones first. */
const underWay: string[] = [];
events.on("test:dequeue", ({ nesting, name, file }) => {
  underWay.length = nesting;
  underWay.push(name);
  process.send?.({ test: [relative(process.cwd(), file!), ...underWay].join(": ") } satisfies ShareTest);
});
events.on("test:complete", ({ nesting }) => {
  underWay.length = Math.min(underWay.length, nesting);
});
/** A test that leaves a server open would keep this process alive for ever. */
let leaving: NodeJS.Timeout | undefined;
const leaveLater = () => {
  clearTimeout(leaving);
  leaving = setTimeout(() => {
    if (underWay.length > 0) console.error(`A test hangs: ${underWay.join(": ")}.`);
    console.error(`Tests left this open: ${process.getActiveResourcesInfo().join(", ")}.`);
    process.exit(1);
  }, openFor).unref();
};
events.on("test:dequeue", leaveLater);
events.on("test:complete", leaveLater);
events.on("test:summary", ({ success, counts }) => {
  if (!success) process.exitCode = 1;
  // The types do not know `failed`.
  process.send?.({ counts: counts as unknown as Counts, times } satisfies ShareResult);
});
events.compose(spec).pipe(process.stdout);
