import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";

/**
 * `npm run test:deploy`: tries what `deploy/` ships. Names narrow the files. They take servers that a developer's
 * machine need not have, and minutes, so `npm test` leaves them out. A test whose server is not installed is skipped
 * and says which.
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
