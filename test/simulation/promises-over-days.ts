import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { nodeEnvironment } from "../support/process.ts";
import type { SimulationFigures } from "./simulation.ts";

/**
 * Runs a seed in a separate process, because a run replaces the clock of its process. Rejects with the run's output.
 */
export async function simulated(options: Record<string, string | number>): Promise<SimulationFigures> {
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  // The run of tests does not know this process, which drops its own database.
  const { DUBA_TEST_RUN: _, ...environment } = process.env;
  const child = spawn(process.execPath, ["test/simulation/run.ts", ...words], {
    env: { ...nodeEnvironment, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [printed, failed] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.equal(failed, "");
  return JSON.parse(/\{.*\}/.exec(printed)![0]);
}

/** Registers a test of three simulated days. `verifications`: per day. */
export function keepsPromises(engine: "sqlite" | "postgres", verifications: number): void {
  const name = `three simulated days with twenty or more faults break no promise on ${engine}, while half of the keys expire`;
  // Takes half a minute on an idle machine, and far longer on a busy one.
  test(name, { timeout: 900_000 }, async () => {
    const run = await simulated({ engine, seed: "three days", days: 3, faults: 9, verifications });
    assert.ok(run.verifications >= 2.9 * verifications, `${run.verifications} verifications`);
    assert.ok(run.old >= run.verifications / 2, `${run.old} of ${run.verifications} are older than a day`);
    assert.ok(run.faults >= 20 && run.deaths > 0);
  });
}

/** Registers a test that runs one seed twice. */
export function repeatsItself(engine: "sqlite" | "postgres"): void {
  test(`two runs of the same seed are equal on ${engine}`, async () => {
    const options = { engine, seed: "twice", days: 1, faults: 20, verifications: 60 };
    const [once, again] = await Promise.all([simulated(options), simulated(options)]);
    assert.deepEqual(again, once);
  });
}
