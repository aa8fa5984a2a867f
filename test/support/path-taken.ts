import { readFileSync } from "node:fs";
import type { Profiler } from "node:inspector";
import { Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";

/** A function of `src/` that ran. */
export interface RanFunction {
  /** Path below `src/`. */
  file: string;
  name: string;
  lines: number;
}

const source = new URL("../../src/", import.meta.url).href;

/**
 * The functions of `src/` in this process that run each time that `work` does. What runs by chance at the same time,
 * such as a job of each second, is left out by doing it several times.
 */
export async function pathTaken(work: () => Promise<unknown>, times = 20): Promise<RanFunction[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    let always: Map<string, RanFunction> | undefined;
    for (let time = 0; time < times; time += 1) {
      // This sets all counts to zero.
      await session.post("Profiler.takePreciseCoverage");
      await work();
      const { result } = await session.post("Profiler.takePreciseCoverage");
      const ran = new Map(result.filter(({ url }) => url.startsWith(source)).flatMap(ranOf));
      always = always ? new Map([...always].filter(([place]) => ran.has(place))) : ran;
    }
    return [...always!.values()];
  } finally {
    session.disconnect();
  }
}

function ranOf({ url, functions }: Profiler.ScriptCoverage): [place: string, ran: RanFunction][] {
  const text = readFileSync(fileURLToPath(url), "utf8");
  return functions.flatMap(({ functionName: name, ranges: [whole] }) => {
    const { startOffset, endOffset, count } = whole!;
    // A file's own code runs once, when it is loaded.
    if (count === 0 || (startOffset === 0 && endOffset === text.length)) return [];
    const lines = text.slice(startOffset, endOffset).split("\n").length;
    return [[`${url}:${startOffset}`, { file: url.slice(source.length), name, lines }]];
  });
}
