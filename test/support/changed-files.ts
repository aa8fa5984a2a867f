import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Returns the paths of files that differ from the last commit, including new ones. */
export function changedFiles(): string[] {
  const git = (...words: string[]) => execFileSync("git", words, { encoding: "utf8" }).split("\n").filter(Boolean);
  return [...git("diff", "--name-only", "HEAD"), ...git("ls-files", "--others", "--exclude-standard")];
}

/** Picks the test files that changed, that stand beside a changed file, or that import one. */
export function testsOf(changed: readonly string[], tests: readonly string[]): string[] {
  const files = new Set(changed);
  const folders = new Set(changed.filter((file) => file.startsWith("src/")).map((file) => dirname(file)));
  return tests.filter(
    (test) => files.has(test) || folders.has(dirname(test)) || importsOf(test).some((file) => files.has(file)),
  );
}

function importsOf(file: string): string[] {
  const found = readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g);
  return [...found].map(([, path]) => join(dirname(file), path!));
}
