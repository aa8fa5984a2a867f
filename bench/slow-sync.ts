import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Environment of a process whose every sync takes 5 ms longer. Compiles `slow-sync.c` into the directory. Returns a
 * sentence with the reason if this machine cannot do that.
 */
export function slowSync(directory: string): Record<string, string> | string {
  if (process.platform !== "linux") return "Syncs are slowed down on Linux only.";
  const library = join(directory, "slow-sync.so");
  const source = fileURLToPath(new URL("slow-sync.c", import.meta.url));
  const { error, stderr, status } = spawnSync("cc", ["-shared", "-fPIC", "-o", library, source], { encoding: "utf8" });
  if (error) return "Syncs are not slowed down: there is no C compiler (cc) here.";
  if (status !== 0) return `Syncs are not slowed down: cc does not compile slow-sync.c: ${stderr.trim()}`;
  return { LD_PRELOAD: library };
}
