import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { suite, test } from "node:test";
import { nodeEnvironment } from "../support/process.ts";
import type { SimulationFigures } from "./simulation.ts";

/**
 * Runs a seed in a process of its own, because a run takes over the clock of its process. Fails with what it printed.
 */
export async function simulated(options: Record<string, string | number>): Promise<SimulationFigures> {
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(process.execPath, ["test/simulation/run.ts", ...words], {
    env: { ...nodeEnvironment, ...process.env, DUBA_TEST_RUN: "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [printed, failed] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.equal(failed, "");
  return JSON.parse(/\{.*\}/.exec(printed)![0]);
}

/** What a run on one engine must keep. Registers the tests of a suite. */
export function keepsItsPromises(engine: "sqlite" | "postgres"): void {
  suite(`simulated time on ${engine}`, () => {
    test("three days with twenty faults break no promise, and most keys end meanwhile", async () => {
      const options = { engine, seed: "three days", days: 3, faults: 9, verifications: 680 };
      const { verifications, old, faults, deaths } = await simulated(options);
      assert.ok(verifications >= 2_000 && old >= verifications / 2, `${old} of ${verifications} are older than a day`);
      assert.ok(faults >= 20 && deaths > 0);
    });

    test("the same seed gives the same run", async () => {
      const options = { engine, seed: "twice", days: 1, faults: 20, verifications: 60 };
      const [once, again] = await Promise.all([simulated(options), simulated(options)]);
      assert.deepEqual(again, once);
    });
  });
}
