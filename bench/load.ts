import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { canPin, isInstalled, loadCore, pinned } from "./cores.ts";
import { benchKey } from "./settings.ts";

/** Operation 4.1 for one provider, as the sample of all look-ups. */
export const lookUpOfBundles = "/api/v2/internet/data/lookup?provider=MTNDATA";

const usualConnections = 64;

/** A sentence for people about how `load` sends requests. */
export const generator = `wrk, 1 thread${canPin ? `, on core ${loadCore}` : ", on any core (taskset is missing, or there is one core only)"}`;

/** The number of responses, and responses a second. */
export interface Loaded {
  responses: number;
  rate: number;
}

/** Requests one URL without pauses, over 64 connections by default, with the keys in turn. Throws at any refusal. */
export async function load(
  url: string,
  seconds: number,
  keys: readonly string[] = [benchKey],
  connections = usualConnections,
): Promise<Loaded> {
  if (!isInstalled("wrk", "--version")) throw new Error("This needs wrk. Install it, as with: apt-get install wrk");
  using owner = new DisposableStack();
  // By default wrk counts a response that takes more than two seconds as an error, as may happen on a busy machine.
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
  const [, responses, took, unit] = /(\d+) requests in ([\d.]+)(s|m)/.exec(printed) ?? [];
  const isRefused = /Non-2xx|Socket errors/.test(printed);
  if (responses === "0") throw new Error(`no answer came within ${seconds} s`);
  if (responses === undefined || isRefused) throw new Error(`wrk saw refusals or errors:\n${printed}`);
  return { responses: Number(responses), rate: Number(responses) / (Number(took) * (unit === "m" ? 60 : 1)) };
}
