import { type SpawnSyncOptions, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  if (!passes([...new Set(alive)], { stdio: "inherit" }))
    throw new Error("The tests fail without any mutant: mend that first.");
  for (const { name, file, from, to, tests } of chosen) {
    const path = join(copy, file);
    const text = readFileSync(path, "utf8");
    const parts = text.split(from);
    if (parts.length !== 2) throw new Error(`"${name}": ${file} has its text ${parts.length - 1} times, not once.`);
    writeFileSync(path, parts.join(to));
    const survives = passes(tests);
    writeFileSync(path, text);
    if (survives) survivors += 1;
    console.log(`${survives ? "SURVIVES" : "dies    "}  ${name}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`\n${chosen.length - survivors} of ${chosen.length} die.`);
if (survivors > 0) process.exitCode = 1;

/** A fault may keep the code busy for ever: that is noticed after five minutes. */
function passes(tests: readonly string[], how: SpawnSyncOptions = { stdio: "ignore", timeout: 300_000 }): boolean {
  const { status } = spawnSync(process.execPath, ["--test", "--test-reporter=dot", ...tests], { cwd: copy, ...how });
  return status === 0;
}
