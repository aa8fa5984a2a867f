import type { Stats } from "node:fs";
import { open } from "node:fs/promises";

const others = 0o077;

/**
 * Says why other users can access a file or directory with secrets, and names the command that prevents it. Undefined
 * if only this user has access, and on Windows, which has no such rights.
 */
export function looseRights(path: string, stats: Stats): string | undefined {
  const { uid, mode } = stats;
  const user = process.geteuid?.();
  if (user === undefined) return undefined;
  if (uid !== user)
    return `belongs to user ${uid}, and this runs as user ${user}: run it as the owner, or run chown ${user} ${path}`;
  if ((mode & others) === 0) return undefined;
  const right = stats.isDirectory() ? "700" : "600";
  return `is open to other users (mode ${(mode & 0o777).toString(8)}): run chmod ${right} ${path}`;
}

/**
 * Creates a file that only this user can access; the file must not exist yet. Its text survives a power cut, its name
 * only after `syncDirectory`.
 */
export async function writeNew(path: string, text: string): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  await file.writeFile(text);
  await file.sync();
}

/** Makes the names in a directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path, "r");
  await directory.sync();
}
