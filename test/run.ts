import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { withPostgres } from "./support/postgres.ts";

/** `npm test`: everything that `npm run check` holds, then every test file. Names on the command line narrow the files. */
const asked = process.argv.slice(2);
if (asked.length === 0) step("test/check.ts");

const files = globSync("{src,test,bench}/**/*.test.ts").sort();
const chosen = asked.length === 0 ? files : files.filter((file) => asked.some((word) => file.includes(word)));
const postgres = await withPostgres();
try {
  step(["--test", "--test-concurrency=2", "--test-timeout=120000", ...chosen], {
    DUBA_TEST_POSTGRES_URL: postgres.url,
  });
} finally {
  await postgres.stop();
}

function step(command: string | string[], environment: Record<string, string> = {}): void {
  const { status } = spawnSync(process.execPath, [command].flat(), {
    stdio: "inherit",
    env: { ...process.env, ...environment },
  });
  if (status !== 0) process.exitCode = status ?? 1;
}
