import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";

/** A tracked file of git, by its path from the folder of the checkout. */
interface TrackedFile {
  path: string;
  isProgram: boolean;
}

/**
 * The tracked files of git below these paths, if the checkout is the working folder. Untracked files belong to the
 * operator: the documents say to put secrets and certificates in `deploy/container`.
 */
export function trackedFiles(paths: readonly string[]): TrackedFile[] {
  const listed = execFileSync("git", ["ls-files", "-z", "--stage", "--", ...paths], { encoding: "utf8" });
  return listed
    .split("\0")
    .filter((entry) => entry !== "")
    .map((entry) => ({ path: entry.slice(entry.indexOf("\t") + 1), isProgram: entry.startsWith("100755") }));
}

/** Copies a file. Every user may read the copy, whatever the umask at checkout was. */
export function copyReadable(from: string, to: string, isProgram = false): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  chmodSync(to, isProgram ? 0o755 : 0o644);
}

/** Copies the tracked files below these paths to equal paths in `folder`. */
export function copyTracked(folder: string, paths: readonly string[]): void {
  for (const { path, isProgram } of trackedFiles(paths)) copyReadable(path, join(folder, path), isProgram);
}
