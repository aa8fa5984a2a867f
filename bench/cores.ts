import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";

/** The core of the measured server. The load comes from the other core. */
export const serverCore = 0;
export const loadCore = 1;

/** Whether a command is installed. */
export function isInstalled(command: string, argument: string): boolean {
  try {
    execFileSync(command, [argument], { stdio: "ignore" });
    return true;
  } catch (error) {
    // wrk ends its --version with 1.
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}

/** Whether processes can be kept to a core of their own. */
export const canPin = availableParallelism() > 1 && isInstalled("taskset", "--version");

/** A command line that runs on this core, if `core` is set and the machine can pin processes. */
export function pinned(core: number | undefined, ...command: string[]): string[] {
  return core === undefined || !canPin ? command : ["taskset", "-c", String(core), ...command];
}

/** Moves a running process to one core, if that is possible. */
export function moveTo(core: number, pid: number): void {
  if (canPin) execFileSync("taskset", ["-a", "-p", "-c", String(core), String(pid)], { stdio: "ignore" });
}
