import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { engines } from "./support/engines.ts";
import { pathTaken } from "./support/path-taken.ts";
import { startService } from "./support/service.ts";

/** What one has to read to know what a verification does. */
const most = { files: 91, functions: 307, linesOfFile: 350, linesOfFunction: 60 };

for (const engine of engines)
  suite(`a verification that the first vendor answers, on ${engine.name}`, () => {
    test(`it runs at most ${most.files} files and ${most.functions} functions, none of them long`, async (t) => {
      await using service = await startService({ DUBA_LIMITS: "off" }, engine);
      let person = 30_000_000_000;
      const verify = async () => {
        person += 1;
        const { status, text } = await service.verify({ bvn: String(person), key: randomUUID() });
        assert.equal(status, 200, text);
      };
      for (let time = 0; time < 5; time += 1) await verify();
      const functions = await pathTaken(verify);
      const files = [...new Set(functions.map(({ file }) => file))].sort();
      t.diagnostic(`${files.length} files, ${functions.length} functions`);
      if (process.env.DUBA_TEST_PATH) for (const file of files) t.diagnostic(told(file, functions));
      assert.ok(files.length <= most.files, `${files.length} files run: ${files.join(", ")}`);
      assert.ok(functions.length <= most.functions, `${functions.length} functions run`);
      // The rooms of money. A function of the store's, which waits for the server, is longer.
      const ofMoney = ({ file }: { file: string }) => /^(?:verification|ledger)\//.test(file);
      for (const { file, name, lines } of functions.filter(ofMoney))
        assert.ok(lines <= most.linesOfFunction, `${name} in src/${file} has ${lines} lines`);
      for (const file of files) {
        const lines = readFileSync(new URL(`../src/${file}`, import.meta.url), "utf8").split("\n").length - 1;
        assert.ok(lines <= most.linesOfFile, `src/${file} has ${lines} lines`);
      }
    });
  });

function told(of: string, functions: Awaited<ReturnType<typeof pathTaken>>): string {
  const names = functions.filter(({ file }) => file === of).map(({ name }) => name || "()");
  return `${of}: ${names.join(" ")}`;
}
