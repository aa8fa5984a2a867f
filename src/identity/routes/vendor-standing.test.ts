import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { put } from "../../storage/queries/put.ts";
import { engines, suiteStore } from "../identity.fixture.ts";
import { vendorStandings } from "./vendor-standing.ts";

const now = Date.UTC(2026, 10, 20, 12);
const none = {
  ...{ attempts: 0, verified: 0, negative: 0, failed: 0, unknown: 0, billed_kobo: 0, charges: 0, charged_kobo: 0 },
  ...{ within_250ms: 0, within_500ms: 0, within_1s: 0, within_2s: 0, within_5s: 0, within_10s: 0, later: 0 },
};

for (const engine of engines)
  suite(`the standing of vendors on ${engine.name}`, () => {
    const store = suiteStore(engine);

    test("is as the process sees it that sees it worst, and unknown without one", async () => {
      const sum = (vendor: string) => {
        const key = { span: "hour", begins_at: now - 3_600_000, account_id: "a", mode: "live", kind: "bvn", vendor };
        return put(store.db, "verification_sum", key, { ...none, attempts: 1, verified: 1 });
      };
      const seen = (instance: string, upstream: string, state: string) => {
        const facts = { alarm: null, last_answer_at: null, balance: null, last_failures: "{}", noted_at: now };
        return put(store.db, "upstream_status", { instance, upstream }, { ...facts, state });
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
