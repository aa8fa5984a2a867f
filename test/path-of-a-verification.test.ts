import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { engines } from "./support/engines.ts";
import type { RanFunction } from "./support/path-taken.ts";

/** Limits for the code that a reader must read to understand a verification. */
const most = { files: 70, functions: 218, linesOfFile: 350, linesOfFunction: 60 };

const program = fileURLToPath(new URL("support/path-taken.ts", import.meta.url));

for (const engine of engines)
  suite(`a verification that the first vendor answers, on ${engine.name}`, () => {
    test(`a verification runs at most ${most.files} files and ${most.functions} functions, none of them long`, async (t) => {
      const { stdout } = await promisify(execFile)(process.execPath, [program, engine.name]);
      const functions: RanFunction[] = JSON.parse(stdout);
      const files = [...new Set(functions.map(({ file }) => file))].sort();
      t.diagnostic(`${files.length} files, ${functions.length} functions`);
      // `DUBA_TEST_PATH=on` prints which files and functions ran.
      if (process.env.DUBA_TEST_PATH) for (const file of files) t.diagnostic(told(file, functions));
      assert.ok(files.length <= most.files, `${files.length} files run: ${files.join(", ")}`);
      assert.ok(functions.length <= most.functions, `${functions.length} functions run`);
      for (const { file, name, lines } of functions)
        assert.ok(lines <= most.linesOfFunction, `${name} in src/${file} has ${lines} lines`);
      for (const file of files) {
        const lines = readFileSync(new URL(`../src/${file}`, import.meta.url), "utf8").split("\n").length - 1;
        assert.ok(lines <= most.linesOfFile, `src/${file} has ${lines} lines`);
      }
    });
  });

function told(of: string, functions: readonly RanFunction[]): string {
  const names = functions.filter(({ file }) => file === of).map(({ name }) => name || "()");
  return `${of}: ${names.join(" ")}`;
}
