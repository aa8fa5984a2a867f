import type { Io } from "./io.ts";

const clearLine = "\r\x1b[K";
const width = 20;
const redrawEvery = 100;

/** Shows the progress of long work on a terminal: one line with a bar and the rate, cleared at the end. */
export function progressBar({ err, colours, progressAfter = 1000 }: Io, unit: string) {
  const begun = performance.now();
  let drawn = Number.NEGATIVE_INFINITY;
  return {
    /** Shows no bar without `all`. */
    update(done: number, all?: number): void {
      const now = performance.now();
      if (!colours?.err || now - begun < progressAfter || now - drawn < redrawEvery) return;
      drawn = now;
      const rate = `${done} ${unit}, ${rateOf(done, now - begun)} a second`;
      err(`${clearLine}${all === undefined ? rate : `${bar(done / Math.max(1, all))} ${rate}`}`);
    },
    clear(): void {
      if (drawn > 0) err(clearLine);
      drawn = Number.NEGATIVE_INFINITY;
    },
  };
}

function rateOf(done: number, milliseconds: number): number {
  return Math.round((done / Math.max(1, milliseconds)) * 1000);
}

function bar(part: number): string {
  const full = Math.min(width, Math.floor(part * width));
  return `[${"#".repeat(full)}${" ".repeat(width - full)}] ${Math.min(100, Math.floor(part * 100))}%`;
}
