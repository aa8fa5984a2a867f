import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { canPin, isInstalled, loadCore, pinned } from "./cores.ts";
import { benchKey } from "./settings.ts";

/** Operation 4.1 for one provider: the look-up that stands for all of them. */
export const lookUpOfBundles = "/api/v2/internet/data/lookup?provider=MTNDATA";

const usualConnections = 64;
const hasWrk = isInstalled("wrk", "--version");

/** How `load` asks, as a sentence for people. */
export const generator = hasWrk
  ? `wrk, 1 thread${canPin ? `, on core ${loadCore}` : ", on any core (taskset is missing, or there is one core only)"}`
  : "autocannon, on any core: it needs more of the machine than the server does, and ratios come out too high. Install wrk";

/** Answers, and answers a second. */
export interface Loaded {
  answers: number;
  rate: number;
}

/** Asks for one URL over 64 connections, as fast as it is answered, with the keys in turn. Throws at any refusal. */
export function load(
  url: string,
  seconds: number,
  keys: readonly string[] = [benchKey],
  connections = usualConnections,
): Promise<Loaded> {
  return (hasWrk ? loadByWrk : loadByAutocannon)(url, seconds, keys, connections);
}

async function loadByWrk(url: string, seconds: number, keys: readonly string[], connections: number): Promise<Loaded> {
  using owner = new DisposableStack();
  // Else an answer that takes more than two seconds, on a busy machine, is an error.
  const options = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "30s"];
  if (keys.length === 1) options.push("-H", `Authorization: Bearer ${keys[0]}`, url);
  else {
    const directory = owner.adopt(mkdtempSync(join(tmpdir(), "duba-bench-")), (one) =>
      rmSync(one, { recursive: true }),
    );
    const file = join(directory, "keys");
    writeFileSync(file, keys.join("\n"));
    options.push("-s", fileURLToPath(new URL("wrk.lua", import.meta.url)), url, "--", file);
  }
  const [command, ...rest] = pinned(loadCore, "wrk", ...options);
  const printed = await text(spawn(command!, rest, { stdio: ["ignore", "pipe", "inherit"] }).stdout);
  const [, answers, took, unit] = /(\d+) requests in ([\d.]+)(s|m)/.exec(printed) ?? [];
  const isRefused = /Non-2xx|Socket errors/.test(printed);
  if (answers === "0") throw new Error(`no answer came within ${seconds} s`);
  if (answers === undefined || isRefused) throw new Error(`wrk saw refusals or errors:\n${printed}`);
  return { answers: Number(answers), rate: Number(answers) / (Number(took) * (unit === "m" ? 60 : 1)) };
}

async function loadByAutocannon(
  url: string,
  seconds: number,
  keys: readonly string[],
  connections: number,
): Promise<Loaded> {
  const { pathname, search } = new URL(url);
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: keys.map((key) => ({ path: pathname + search, headers: { Authorization: `Bearer ${key}` } })),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} refusals and ${result.errors} errors under load`);
  return { answers: result.requests.total, rate: result.requests.total / result.duration };
}
