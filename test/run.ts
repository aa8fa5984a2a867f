import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { dropDatabases } from "./support/engines.ts";
import { withPostgres } from "./support/postgres.ts";

/**
 * `npm test`: everything that `npm run check` holds, then every test file. Names on the command line narrow the files.
 *
 * Loading the service takes a second, more than the tests of most files. So each process runs a share of the files, one
 * after another, and Node's compile cache is kept from run to run. One process more runs than there are processors, because
 * many tests wait; with still more the store's time-outs strike. The last files, in test/, take longest and so come first.
 */
const filesPerProcess = 12;
/** A share that runs longer hangs: a test of it left a service or a connection open. Milliseconds. */
const longestShare = 300_000;
/** Holds one entry per source file, which Node replaces when the file changes. */
const compileCache = resolve("node_modules/.cache/compiled");

const asked = process.argv.slice(2);
if (asked.length === 0 && spawnSync(process.execPath, ["test/check.ts"], { stdio: "inherit" }).status !== 0)
  process.exitCode = 1;

const files = globSync("{src,test,bench,client/test}/**/*.test.ts").sort();
const chosen = asked.length === 0 ? files : files.filter((file) => asked.some((word) => file.includes(word)));
if (chosen.length === 0) throw new Error(`No test file has ${asked.join(" or ")} in its path.`);
const shares = Math.ceil(chosen.length / filesPerProcess);
const started = performance.now();
const postgres = await withPostgres();
const name = randomBytes(4).toString("hex");
const outputs: string[] = [];
try {
  const left = Array.from({ length: shares }, (_, index) => `${index + 1}/${shares}`);
  const work = async () => {
    for (let share = left.pop(); share !== undefined; share = left.pop()) outputs.push(await run(share));
  };
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, work));
} finally {
  await dropDatabases(postgres.url, name);
  await postgres.stop();
}

const failures = outputs.map((output) => output.split("✖ failing tests:\n")[1]).filter((part) => part !== undefined);
if (failures.length > 0) console.log(`\n✖ all failing tests:\n${failures.join("")}`);
const total = (what: string) =>
  outputs.reduce((sum, output) => sum + Number(output.match(new RegExp(`^ℹ ${what} (\\d+)$`, "m"))?.[1]), 0);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(
  `\n${chosen.length} files, ${total("tests")} tests: ${total("pass")} passed, ${total("fail")} failed, ` +
    `${total("cancelled")} cancelled, ${total("skipped")} skipped, in ${seconds} s.`,
);

/** Runs a share of the files; what they say is printed once they are through. */
async function run(share: string): Promise<string> {
  const child = spawn(
    process.execPath,
    [
      "--test",
      "--test-isolation=none",
      `--test-shard=${share}`,
      "--test-timeout=120000",
      "--test-reporter=spec",
      ...chosen,
    ],
    {
      stdio: ["ignore", "pipe", "inherit"],
      timeout: longestShare,
      env: {
        ...process.env,
        DUBA_TEST_POSTGRES_URL: postgres.url,
        DUBA_TEST_RUN: name,
        NODE_COMPILE_CACHE: compileCache,
      },
    },
  );
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const output = await text(child.stdout);
  const code = await ended;
  if (code !== 0) process.exitCode = code ?? 1;
  process.stdout.write(output);
  if (child.killed)
    console.error(`Share ${share} was ended after ${longestShare / 1000} s: one of its tests left something open.`);
  return output;
}
