import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dropDatabases, dropLeavings, holdRun } from "../support/engines.ts";
import { withPostgres } from "../support/postgres.ts";
import { mutants } from "./mutants.ts";

/**
 * `npm run test:mutants`: puts one bug at a time into a copy of the project, and runs the tests that must notice the
 * bug. Words choose mutants by name or file. The exit code is 1 if a mutant survives.
 */
const asked = process.argv.slice(2);
const chosen = mutants.filter(
  ({ name, file }) => !asked.length || asked.some((word) => `${name} ${file}`.includes(word)),
);
if (chosen.length === 0) throw new Error(`No mutant has ${asked.join(" or ")} in its name or file.`);

const copy = mkdtempSync(join(tmpdir(), "duba-mutants-"));
const postgres = await withPostgres();
// Tests that end at once leave their databases behind.
const runName = randomBytes(4).toString("hex");
await dropLeavings(postgres.url);
const letGo = await holdRun(postgres.url, runName);
let survivors = 0;
try {
  const parts =
    "src pages test client check stand-ins data docs bin package.json openapi.json redocly.yaml tsconfig.json".split(
      " ",
    );
  for (const part of parts)
    cpSync(part, join(copy, part), { recursive: true, filter: (path) => !path.includes("node_modules") });
  symlinkSync(join(process.cwd(), "node_modules"), join(copy, "node_modules"));
  const alive = chosen.flatMap(({ tests }) => tests);
  const failed = await failedTest([...new Set(alive)]);
  if (failed) throw new Error(`"${failed}" fails without any mutant: mend that first.`);
  for (const [at, { name, file, from, to, tests }] of chosen.entries()) {
    const path = join(copy, file);
    const text = readFileSync(path, "utf8");
    const parts = text.split(from);
    if (parts.length !== 2) throw new Error(`"${name}": ${file} has its text ${parts.length - 1} times, not once.`);
    writeFileSync(path, parts.join(to));
    const failed = await failedTest(tests, 300_000);
    writeFileSync(path, text);
    if (!failed) survivors += 1;
    console.log(`${at + 1}/${chosen.length}  ${failed ? "dies    " : "SURVIVES"}  ${name}${failed && `: "${failed}"`}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
  await dropDatabases(postgres.url, runName);
  await letGo();
  await postgres.stop();
}
console.log(`\n${chosen.length - survivors} of ${chosen.length} die.`);
if (survivors > 0) process.exitCode = 1;

/**
 * Runs tests until the first one fails, and returns its name; an empty text if all pass. Tests fail after `longest`
 * milliseconds, because a mutant may keep the code busy for ever.
 */
async function failedTest(tests: readonly string[], longest?: number): Promise<string> {
  const reporter = `--test-reporter=${join(import.meta.dirname, "failed-tests.ts")}`;
  const run = spawn(process.execPath, ["--test", reporter, ...tests], {
    cwd: copy,
    env: { ...process.env, DUBA_TEST_POSTGRES_URL: postgres.url, DUBA_TEST_RUN: runName },
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let failed = "";
  const fail = (names: string) => {
    if (failed !== "") return;
    [failed = ""] = names.split("\n");
    process.kill(-run.pid!, "SIGKILL");
  };
  run.stdout.setEncoding("utf8").on("data", fail);
  const timer = longest && setTimeout(fail, longest, `more than ${longest / 1000} s`);
  const [status] = await once(run, "close");
  clearTimeout(timer);
  return failed || (status === 0 ? "" : "the tests did not run");
}
