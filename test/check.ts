import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fullFolders } from "./support/full-folders.ts";

/** Files of a folder that can be taken in at a glance. */
const roomyFolder = 12;

/**
 * `npm run check`: format and lint, types, floors and documents, generated files, all at once. It prints the output of the
 * steps that fail, or one line if none does.
 */
const types = ["--incremental", "--tsBuildInfoFile", "node_modules/.cache/check.tsbuildinfo"];
const steps: [string, ...string[]][] = [
  ["node_modules/.bin/biome", "check", "--colors=off"],
  // Several checkers check much of it several times, which costs three times the processor time.
  ["node_modules/.bin/tsc", "-p", ".", "--singleThreaded", ...types],
  [process.execPath, "--test", "--test-reporter=dot", "test/floors.test.ts", "test/documents.test.ts"],
  [process.execPath, "test/generate.ts", "--check"],
];
const started = performance.now();
const outputs = await Promise.all(steps.map(run));
for (const folder of fullFolders(roomyFolder))
  console.warn(`${folder} has more than ${roomyFolder} files. Is it two things?`);
const failures = outputs.filter((output) => output !== undefined);
for (const output of failures) console.error(output.trimEnd());
if (failures.length > 0) process.exitCode = 1;
else console.log(`Format, types, floors, documents and generated files: all well, in ${seconds(started)} s.`);

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
