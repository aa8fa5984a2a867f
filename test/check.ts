import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { changedFiles } from "./support/changed-files.ts";

type Step = readonly [program: string, ...words: string[]];

/**
 * `npm run check`: checks format and lint, types, floors and documents, and generated files, in parallel. Prints the
 * output of failing steps, or one line if every step passes. `--changed`: checks types, and format and lint of files
 * that differ from the last commit.
 */
const isChanged = process.argv.includes("--changed");
const started = performance.now();
const outputs = await Promise.all((isChanged ? ofChange(changedFiles()) : ofAll()).map(run));
const failures = outputs.filter((output) => output !== undefined);
for (const output of failures) console.error(output.trimEnd());
if (failures.length > 0) process.exitCode = 1;
else {
  const held = isChanged ? "Format of the change and types" : "Format, types, floors, documents and generated files";
  console.log(`${held}: all well, in ${seconds(started)} s.`);
}

function ofChange(changed: readonly string[]): Step[] {
  return changed.length > 0 ? [[...lint(), "--no-errors-on-unmatched", ...changed], types()] : [types()];
}

function ofAll(): Step[] {
  return [
    lint(),
    types(),
    [process.execPath, "--test", "--test-reporter=dot", "test/floors.test.ts", "test/documents.test.ts"],
    [process.execPath, "test/generate.ts", "--check"],
  ];
}

function lint(): Step {
  return ["node_modules/.bin/biome", "check", "--colors=off"];
}

/**
 * One type checker, because several check much code twice and take up to three times the processor time. tsc writes
 * declarations, which show at the next run what a change affects.
 */
function types(): Step {
  const cache = "node_modules/.cache/types";
  const declarations = ["--noEmit", "false", "--emitDeclarationOnly", "--outDir", cache];
  const kept = ["--incremental", "--tsBuildInfoFile", `${cache}.tsbuildinfo`];
  return ["node_modules/.bin/tsc", "-p", ".", "--checkers", "1", ...declarations, ...kept];
}

/** What a step printed, if it failed. */
async function run([command, ...words]: Step): Promise<string | undefined> {
  const child = spawn(command, words, { stdio: ["ignore", "pipe", "pipe"] });
  const code = new Promise<number | null>((resolve, reject) => child.once("exit", resolve).once("error", reject));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return (await code) === 0 ? undefined : output + errors;
}

function seconds(since: number): number {
  return Math.round((performance.now() - since) / 1000);
}
