import { spawnSync } from "node:child_process";

/** `npm run check`: format and lint, types, floors, generated files. Every fault of every step is printed. */
const steps: [string, ...string[]][] = [
  ["node_modules/.bin/biome", "check"],
  ["node_modules/.bin/tsc", "-p", "."],
  [process.execPath, "--test", "test/floors.test.ts", "test/documents.test.ts"],
  [process.execPath, "test/generate.ts", "--check"],
];
for (const [command, ...words] of steps) {
  const { status } = spawnSync(command, words, { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
