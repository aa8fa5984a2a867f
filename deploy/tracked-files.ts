import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";

/** A file that git knows, by its path from the folder of the checkout. */
interface TrackedFile {
  path: string;
  isProgram: boolean;
}

/**
 * The files below these paths that git knows, in a checkout that is the working folder. What else lies there is
 * somebody's own: the documents say to lay secrets and certificates in `deploy/container`.
 */
export function trackedFiles(paths: readonly string[]): TrackedFile[] {
  const listed = execFileSync("git", ["ls-files", "-z", "--stage", "--", ...paths], { encoding: "utf8" });
  return listed
    .split("\0")
    .filter((entry) => entry !== "")
    .map((entry) => ({ path: entry.slice(entry.indexOf("\t") + 1), isProgram: entry.startsWith("100755") }));
}

/** Copies a file. Everybody may read it, whatever the umask of whoever checked it out. */
export function copyReadable(from: string, to: string, isProgram = false): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  chmodSync(to, isProgram ? 0o755 : 0o644);
}

/** Copies what git knows below these paths to the same places in `folder`. */
export function copyTracked(folder: string, paths: readonly string[]): void {
  for (const { path, isProgram } of trackedFiles(paths)) copyReadable(path, join(folder, path), isProgram);
}
