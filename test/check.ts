import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { changedFiles } from "./support/changed-files.ts";

/**
 * `npm run check`: format and lint, types, floors and documents, generated files, all at once. It prints the output of
 * the steps that fail, or one line if none does. `--changed`: format and lint of what differs from the last commit, and
 * types.
 */
const isChanged = process.argv.includes("--changed");
const types = ["--incremental", "--tsBuildInfoFile", "node_modules/.cache/check.tsbuildinfo"];
const lint = ["node_modules/.bin/biome", "check", "--colors=off"] as const;
const ofChange: [string, ...string[]][] = [
  [...lint, "--no-errors-on-unmatched", ...(isChanged ? changedFiles() : [])],
  // With several checkers, as little else runs.
  ["node_modules/.bin/tsc", "-p", ".", ...types],
];
const whole: [string, ...string[]][] = [
  [...lint],
  // Several checkers check much of it several times, which costs three times the processor time.
  ["node_modules/.bin/tsc", "-p", ".", "--singleThreaded", ...types],
  [process.execPath, "--test", "--test-reporter=dot", "test/floors.test.ts", "test/documents.test.ts"],
  [process.execPath, "test/generate.ts", "--check"],
];
const started = performance.now();
const outputs = await Promise.all((isChanged ? ofChange : whole).map(run));
const failures = outputs.filter((output) => output !== undefined);
for (const output of failures) console.error(output.trimEnd());
if (failures.length > 0) process.exitCode = 1;
else {
  const held = isChanged ? "Format of the change and types" : "Format, types, floors, documents and generated files";
  console.log(`${held}: all well, in ${seconds(started)} s.`);
}

/** What a step printed, if it failed. */
async function run([command, ...words]: [string, ...string[]]): Promise<string | undefined> {
  const child = spawn(command, words, { stdio: ["ignore", "pipe", "pipe"] });
  const code = new Promise<number | null>((resolve, reject) => child.once("exit", resolve).once("error", reject));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return (await code) === 0 ? undefined : output + errors;
}

function seconds(since: number): number {
  return Math.round((performance.now() - since) / 1000);
}
