import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { Agent } from "node:http";
import type { Profiler } from "node:inspector";
import { Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";
import { engines } from "./engines.ts";
import { startService } from "./service.ts";

/**
 * `node path-taken.ts <engine>` prints the functions of `src/` that run in every verification of a new person, as JSON.
 * A separate process, so that no other code is counted.
 */

/** A function of `src/` that ran. */
export interface RanFunction {
  /** Path below `src/`. */
  file: string;
  name: string;
  lines: number;
}

const source = new URL("../../src/", import.meta.url).href;

const warm = 5;
const times = 20;
/** Milliseconds. Measured verifications must be shorter, so that no job of each second runs in all of them. */
const quick = 400;

async function pathTaken(verify: () => Promise<void>): Promise<RanFunction[]> {
  for (let time = 0; time < warm; time += 1) await verify();
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  let always: Map<string, RanFunction> | undefined;
  for (let seen = 0; seen < times; ) {
    // Resets all counts to zero.
    await session.post("Profiler.takePreciseCoverage");
    const begun = performance.now();
    await verify();
    if (performance.now() - begun > quick) continue;
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const ran = new Map(result.filter(({ url }) => url.startsWith(source)).flatMap(ranOf));
    always = always ? new Map([...always].filter(([place]) => ran.has(place))) : ran;
    seen += 1;
  }
  return [...always!.values()];
}

function ranOf({ url, functions }: Profiler.ScriptCoverage): [place: string, ran: RanFunction][] {
  const text = readFileSync(fileURLToPath(url), "utf8");
  return functions.flatMap(({ functionName: name, ranges: [whole] }) => {
    const { startOffset, endOffset, count } = whole!;
    // Skips a module's top level, which runs only when the module loads.
    if (count === 0 || (startOffset === 0 && endOffset === text.length)) return [];
    const lines = text.slice(startOffset, endOffset).split("\n").length;
    return [[`${url}:${startOffset}`, { file: url.slice(source.length), name, lines }]];
  });
}

if (import.meta.main) {
  const engine = engines.find(({ name }) => name === process.argv[2])!;
  await using service = await startService({ DUBA_LIMITS: "off" }, engine);
  // In real use, connections are reused.
  const agent = new Agent({ keepAlive: true });
  let person = 30_000_000_000;
  const functions = await pathTaken(async () => {
    person += 1;
    const { status, text } = await service.verify({ bvn: String(person), key: randomUUID(), agent });
    if (status !== 200) throw new Error(text);
  });
  agent.destroy();
  process.stdout.write(JSON.stringify(functions));
}
