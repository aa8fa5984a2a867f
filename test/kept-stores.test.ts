import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { openStore } from "../src/storage/store.ts";
import { engines } from "./support/engines.ts";
import {
  emptyPlace,
  keptFacts,
  keptOutputs,
  keptStores,
  type PlacedStore,
  placed,
  unpacked,
} from "./support/kept-stores.ts";
import { startService } from "./support/service.ts";

/** Members in the output of commands that the versions of the old stores did not print. */
const cameSince = /^ {2}"served": \d+,\n|,\n {2}"next": null(?=\n\}\n$)/gm;

for (const name of keptStores)
  for (const engine of engines)
    suite(`the store of ${name} on ${engine.name}`, () => {
      const facts = keptFacts(name, engine.name);
      let kept: PlacedStore;
      before(async () => {
        kept = await placed(name, engine);
        await (await openStore({ ...kept.settings, serving: false })).close();
      });
      after(() => kept.dispose());

      const assertSame = async ({ duba }: PlacedStore) => {
        for (const argv of keptOutputs) {
          const { out, err } = await duba(...argv);
          const without = (text = "") => text.replace(cameSince, "");
          assert.equal(without(out), without(facts.outputs[argv.join(" ")]), err);
        }
      };

      test("an upgraded store gives its recorded outputs byte for byte", async () => {
        assert.match((await kept.duba("migrate", "--dry-run")).out, /^The store has the tables of this version/);
        await assertSame(kept);
      });

      test("an upgraded store has an intact audit trail, matching books, and its key ring", async () => {
        for (const argv of [
          ["audit", "verify"],
          ["audit", "reconcile"],
          ["keyring", "show"],
        ]) {
          const { exitCode, out, err } = await kept.duba(...argv);
          assert.equal(exitCode, 0, `${argv.join(" ")}: ${out}${err}`);
        }
      });

      test("a restored backup of the old version gives the recorded outputs", async () => {
        const folder = mkdtempSync(join(tmpdir(), "duba-kept-"));
        const file = join(folder, "backup");
        writeFileSync(file, unpacked(name, `${engine.name}.backup`), { mode: 0o600 });
        const empty = await emptyPlace(name, engine);
        try {
          const { exitCode, err } = await empty.duba("restore", file);
          assert.equal(exitCode, 0, err);
          await assertSame(empty);
        } finally {
          await empty.dispose();
          rmSync(folder, { recursive: true });
        }
      });

      // PostgreSQL uses its own clock, by which the keys have long expired.
      if (engine.name === "sqlite")
        test("an upgraded store replays the recorded answer to each idempotency key that had work done", async (t) => {
          t.mock.timers.enable({ apis: ["Date"], now: facts.madeAt + 60_000 });
          const place = await placed(name, engine);
          const ready = { name: engine.name, fresh: engine.fresh, ready: async () => place };
          const service = await startService(place.environment, ready);
          try {
            for (const [key, { bvn, status, text }] of Object.entries(facts.replies)) {
              const answer = await service.verify({ bvn, key });
              // A verification without work is retried, and gets a new reference.
              if (status === 503) continue;
              // Version 0.1 had another word for a failure.
              const words = text.replace('"success":false,"status":"error"', '"success":false,"status":"failed"');
              const [told, before] = [answer.text, words].map((one) => one.replace(/"request_id":"[^"]+"/, ""));
              assert.deepEqual([answer.status, told], [status, before]);
              assert.equal(answer.headers["idempotency-replayed"], "true");
            }
          } finally {
            await service.close();
          }
        });
    });
