import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { noCounts } from "../../ledger/journal/sum-rows.fixture.ts";
import { upsert } from "../../storage/queries/upsert.ts";
import { suiteStore, usualEngines } from "../identity.fixture.ts";
import { vendorStandings } from "./vendor-standing.ts";

const now = Date.UTC(2026, 10, 20, 12);

for (const engine of usualEngines)
  suite(`the standing of vendors on ${engine.name}`, () => {
    const store = suiteStore(engine);

    test("a vendor's state is the worst state in any process, and empty for an unused vendor", async () => {
      const sum = (vendor: string) => {
        const key = { span: "hour", begins_at: now - 3_600_000, account_id: "a", mode: "live", kind: "bvn", vendor };
        return upsert(store.db, "verification_sum", key, { ...noCounts, attempts: 1, verified: 1 });
      };
      const seen = (instance: string, upstream: string, state: string) => {
        const facts = {
          alarm: null,
          last_answer_at: null,
          balance: null,
          kinds: '["bvn"]',
          last_failures: "{}",
          noted_at: now,
        };
        return upsert(store.db, "upstream_status", { instance, upstream }, { ...facts, state });
      };
      for (const vendor of ["dojah", "prembly", "seamfix"]) await sum(vendor);
      await seen("one", "dojah", "ready");
      await seen("two", "dojah", "open");
      await seen("one", "prembly", "ready");
      const standings = await vendorStandings(store.db, now, {});
      assert.deepEqual(
        standings.map(({ vendor, span, state }) => `${vendor} ${span} ${state}`),
        ["dojah 24h open", "prembly 24h ready", "seamfix 24h null"],
      );
    });
  });
