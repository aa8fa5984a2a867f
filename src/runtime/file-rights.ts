import type { Stats } from "node:fs";

const others = 0o077;

/**
 * Why other users can access a file or directory with secrets, and the command that prevents it; undefined if only this user
 * can. Windows has no such rights, and nothing is checked there.
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
