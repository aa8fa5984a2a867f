import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";

/** Microseconds: short, so that a process that has used up its part waits only briefly for its next part. */
const period = 10_000;

/** A control group of the kernel, whose processes together get a part of a core. */
export interface PartOfCore extends Disposable {
  add(pid: number): void;
}

/** Returns undefined where this process may create none: that needs Linux, and mostly root. */
export function partOfCore(name: string, part: number): PartOfCore | undefined {
  // Version 2 of control groups, and version 1.
  const isUnified = existsSync("/sys/fs/cgroup/cgroup.controllers");
  const group = `/sys/fs/cgroup/${isUnified ? "" : "cpu/"}duba-bench-${process.pid}-${name}`;
  const quota = part * period;
  const limits = isUnified ? { max: `${quota} ${period}` } : { cfs_period_us: period, cfs_quota_us: quota };
  try {
    mkdirSync(group);
  } catch {
    return undefined;
  }
  try {
    for (const [limit, value] of Object.entries(limits)) writeFileSync(`${group}/cpu.${limit}`, String(value));
  } catch {
    rmdirSync(group);
    return undefined;
  }
  return {
    add: (pid) => writeFileSync(`${group}/cgroup.procs`, String(pid)),
    [Symbol.dispose]: () => rmdirSync(group),
  };
}
