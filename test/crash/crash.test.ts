import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { engines } from "../support/engines.ts";
import { crash } from "./rounds.ts";

/**
 * The short form of `npm run test:crash`: with this seed the service is killed twice in the first round, the second
 * time amid retries.
 */
const seed = "short 260";
const trials = { sqlite: { vendor: "prembly", rounds: 2 }, postgres: { vendor: "peer", rounds: 1 } };

suite("a service that is killed under load", { concurrency: true }, () => {
  for (const engine of engines)
    test(`a killed service loses no answer, charges each record once, and records every vendor call, on ${engine.name}`, async () => {
      const { vendor, rounds } = trials[engine.name];
      const figures = await crash({ engine, vendor, rounds, seed });
      assert.equal(figures.kills, rounds + 1);
      for (const verified of Object.values(figures.verifiedOf)) assert.ok(verified > 0);
      assert.ok(figures.refusals > 0);
      assert.ok(figures.vendorCalls >= figures.verified);
    });
});
