import { fork, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import type { Counts, ShareResult, ShareTest, Times } from "./share.ts";
import { changedFiles, testsOf } from "./support/changed-files.ts";
import { dropDatabases, dropLeavings, holdRun } from "./support/engines.ts";
import { withPostgres } from "./support/postgres.ts";

/**
 * `npm test`: runs the checks of `npm run check` and every test file except those of `npm run test:all`, which have
 * browsers, trials with crowds, kills and faults, and programs that follow the documents as a reader would. Words
 * choose files by path among all files, and skip the check. `--times` lists the slowest files. `--changed` runs the
 * test files that differ from the last commit, those beside a changed file, and those that import one.
 * `--clock=2027-02-28T23:59:50Z` runs each file in a process of its own whose clock begins at that time. Loading the
 * service and making databases takes seconds, longer than the tests of most files. So each process runs a share of the
 * files, one after another, and Node's compile cache is kept from run to run. Many tests wait, so three more processes
 * run than there are processors. The shares take equally long, by the times of earlier runs.
 */
const processes = availableParallelism() + 3;
/**
 * Shares for each process: several for the files that take minutes, so that a process that is done takes the next
 * share.
 */
const sharesPerProcess = process.argv.includes("--rest") ? 4 : 1;
/** Milliseconds. A share that runs longer hangs: one of its tests left a service or a connection open. */
const longestShare = 1_800_000;
/** The expected milliseconds of a file that has never run here: the first pattern that matches its path. */
const usualTimes: readonly [path: RegExp, milliseconds: number][] = [
  [/left-out|on-postgres|ten-days/, 150_000],
  [/\.browser\./, 30_000],
  [/commands|^src\/features\/console\//, 6_000],
  [/^test\//, 3_500],
  [/./, 1_500],
];
/**
 * Files that only `npm run test:all` runs: a few files that take half of the time. For each of these trials, `npm test`
 * has a quick test of the same promise.
 */
const theRest = [
  /\.browser\.test\.ts$/,
  /^test\/crash\//,
  /^test\/simulation\/(on-postgres|ten-days)\.test\.ts$/,
  /^test\/new-(kind|list|vendor)\.test\.ts$/,
  /^test\/(hostile-files|readme|guides|client-examples|webhook-examples|release)\.test\.ts$/,
  /^test\/(draining|events-killed|first-hour|waiting-for-the-store)\.test\.ts$/,
  /^test\/(gateway|store|vendor)-faults\.test\.ts$/,
  /^test\/(workers|process|concurrency|console-statements|spending|stand-ins|strangers)\.test\.ts$/,
  /^src\/features\/console\/long-lists\.test\.ts$/,
  /^src\/catalogue\/(killed-import|under-load)\.test\.ts$/,
  /^src\/features\/sources\/sync\/source-faults\.test\.ts$/,
  /^src\/verification\/lost-replies\.test\.ts$/,
  /^test\/left-out-(features|tables)\.test\.ts$/,
  /^client\/test\/packed\.test\.ts$/,
];
/** Holds one entry per source file, which Node replaces when the file changes. */
const compileCache = resolve("node_modules/.cache/compiled");
const timesFile = resolve("node_modules/.cache/test-times.json");

const words = process.argv.slice(2);
const asked = words.filter((word) => !word.startsWith("--"));
const isRest = (file: string) => theRest.some((pattern) => pattern.test(file));
const isWanted = (file: string) =>
  asked.length > 0 ? asked.some((word) => file.includes(word)) : isRest(file) === words.includes("--rest");
const files = globSync("{src,pages,test,bench,client/test,check/test}/**/*.test.ts").sort();
const isOfChange = words.includes("--changed");
const clock = words.find((word) => word.startsWith("--clock="))?.slice("--clock=".length);
const chosen = isOfChange ? testsOf(changedFiles(), files) : files.filter(isWanted);
if (chosen.length === 0)
  throw new Error(
    isOfChange ? "No test file is about what changed." : `No test file has ${asked.join(" or ")} in its path.`,
  );
const times: Record<string, Times> = readTimes();
const started = performance.now();
const checked = words.every((word) => word === "--times") ? check() : undefined;
const postgres = await withPostgres();
const name = randomBytes(4).toString("hex");
await dropLeavings(postgres.url);
const letGo = await holdRun(postgres.url, name);
const outputs: string[] = [];
const counts: Counts = { tests: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0 };
const taken: Record<string, Times> = {};
try {
  const shares = sharesOf(chosen);
  const work = async () => {
    for (let share = shares.shift(); share !== undefined; share = shares.shift()) await run(share);
  };
  await Promise.all(Array.from({ length: processes }, work));
} finally {
  await dropDatabases(postgres.url, name);
  await letGo();
  await postgres.stop();
}
await checked;
if (process.exitCode === undefined) writeTimes();

const failures = outputs.map((output) => output.split("✖ failing tests:\n")[1]).filter((part) => part !== undefined);
if (failures.length > 0) console.log(`\n✖ all failing tests:\n${failures.join("")}`);
if (words.includes("--times")) console.log(`\n${longest()}`);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(
  `\n${chosen.length} files, ${counts.tests} tests: ${counts.passed} passed, ${counts.failed} failed, ` +
    `${counts.cancelled} cancelled, ${counts.skipped} skipped, in ${seconds} s.`,
);

async function check(): Promise<void> {
  const child = spawn(process.execPath, ["test/check.ts"], { stdio: "inherit" });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) process.exitCode = 1;
}

/**
 * Divides the files into shares of equal time: each file, the longest first, goes to the share with the least so far.
 * Slow shares, such as those with browsers, alternate with quick shares.
 */
function sharesOf(files: readonly string[]): string[][] {
  // A changed clock starts anew with each process, so each file gets a process of its own.
  const length = clock === undefined ? Math.min(processes * sharesPerProcess, files.length) : files.length;
  const shares = Array.from({ length }, () => ({ files: [] as string[], wall: 0 }));
  const usual = (file: string) => usualTimes.find(([path]) => path.test(file))![1];
  const timed = files.map((file) => ({ file, wall: times[file]?.wall ?? usual(file) }));
  for (const { file, wall } of timed.sort((one, other) => other.wall - one.wall)) {
    const share = shares.reduce((least, each) => (each.wall < least.wall ? each : least));
    share.files.push(file);
    share.wall += wall;
  }
  const half = Math.ceil(length / 2);
  return shares
    .slice(0, half)
    .flatMap((share, at) => [share, ...shares.slice(half + at, half + at + 1)].map(({ files }) => files));
}

/** Runs a share of the files, and prints their output at the end. */
async function run(files: string[]): Promise<void> {
  const child = fork(resolve("test/share.ts"), files, {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    timeout: longestShare,
    env: {
      ...process.env,
      DUBA_TEST_POSTGRES_URL: postgres.url,
      DUBA_TEST_RUN: name,
      NODE_COMPILE_CACHE: compileCache,
      ...(clock === undefined ? {} : movedClock(clock)),
    },
  });
  let isWhole = false;
  let last = "its first test";
  child.on("message", (result: ShareResult | ShareTest) => {
    if ("test" in result) {
      last = result.test;
      return;
    }
    isWhole = true;
    Object.assign(taken, result.times);
    for (const count of Object.keys(counts) as (keyof Counts)[]) counts[count] += result.counts[count];
  });
  const ended = once(child, "exit") as Promise<[code: number | null, signal: string | null]>;
  const output = await text(child.stdout!);
  const [code, signal] = await ended;
  if (code !== 0) process.exitCode = code ?? 1;
  process.stdout.write(output);
  outputs.push(output);
  const at = `It had come to ${last}`;
  if (child.killed)
    console.error(`A share was ended after ${longestShare / 1000} s: a test left something open. ${at}`);
  else if (signal) console.error(`A share was ended by ${signal} from outside. ${at}`);
  else if (!isWhole) console.error(`A share ended before its last test, with code ${code}. ${at}`);
}

/** The environment of processes whose clock starts at this time. */
function movedClock(clock: string): NodeJS.ProcessEnv {
  const ahead = Date.parse(clock) - Date.now();
  if (Number.isNaN(ahead)) throw new Error(`${clock} is no time: write one such as 2027-02-28T23:59:50Z.`);
  return {
    DUBA_TEST_CLOCK_AHEAD: String(ahead),
    NODE_OPTIONS: `--import ${pathToFileURL(resolve("test/support/moved-clock.ts"))}`,
  };
}

function readTimes(): Record<string, Times> {
  try {
    return JSON.parse(readFileSync(timesFile, "utf8"));
  } catch {
    return {};
  }
}

function writeTimes(): void {
  mkdirSync(resolve("node_modules/.cache"), { recursive: true });
  writeFileSync(timesFile, JSON.stringify({ ...times, ...taken }));
}

function longest(): string {
  const second = (milliseconds: number) => (milliseconds / 1000).toFixed(1).padStart(7);
  const rows = Object.entries(taken).sort(([, one], [, other]) => other.wall - one.wall);
  const lines = rows.slice(0, 40).map(([file, { wall, cpu }]) => `${second(wall)} ${second(cpu)} ${file}`);
  return ["   wall processor, in seconds, children that ended counted", ...lines].join("\n");
}
