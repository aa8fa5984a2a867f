import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";

/**
 * `npm run test:deploy`: tests the contents of `deploy/`. Words on the command line choose files by name. These tests
 * need servers that many machines lack, and take minutes, so `npm test` leaves them out. A test whose server is not
 * installed is skipped, and names that server.
 */
const asked = process.argv.slice(2);
const files = globSync("test/deploy/*.try.ts")
  .sort()
  .filter((file) => asked.length === 0 || asked.some((word) => file.includes(word)));
if (files.length === 0) throw new Error(`No file of test/deploy has ${asked.join(" or ")} in its name.`);
const { status } = spawnSync(
  process.execPath,
  ["--test", "--test-concurrency=1", "--test-timeout=600000", "--test-reporter=spec", ...files],
  { stdio: "inherit" },
);
process.exitCode = status ?? 1;
