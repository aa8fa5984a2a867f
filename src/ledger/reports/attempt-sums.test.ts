import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { TimeZone } from "../../runtime/time-zone.ts";
import type { IdentityOutcome } from "../../vendors/ports/identity-upstream.ts";
import { negative, unavailable, unknown } from "../../vendors/ports/outcomes.ts";
import { engines, newRequest, suiteStore } from "../../verification/identity.fixture.ts";
import { answering } from "../../verification/played-upstream.fixture.ts";
import { followJournal } from "../journal/follow-journal.ts";
import { recountAfterOlderVersion } from "../journal/rebuild-sums.ts";
import { attemptGroupings, attemptSums } from "./attempt-sums.ts";

for (const engine of engines)
  suite(`what attempts cost on ${engine.name}`, () => {
    const store = suiteStore(engine);

    test("an attempt costs what the vendor billed, else its price, and uncertain cost is a figure apart", async (t) => {
      const outcomes: IdentityOutcome[] = [
        negative("not_found"),
        { ...negative("not_found"), billed: "no" },
        { ...negative("phone_mismatch"), billed: "unknown" },
        { ...unavailable("refused"), billed: "yes" },
        unavailable("refused"),
        unknown,
      ];
      const zone = new TimeZone("UTC");
      const prices = { answering: { bvn: 5_000, "bvn.not_found": 4_000 } };
      const { upstream } = answering(async (_, nth) => outcomes[nth - 1]!);
      const identity = await store.open(t, {
        upstreams: { test: upstream, live: [upstream] },
        settings: { vendorPrices: prices, limits: null, timeZone: zone },
      });
      const { accountId } = newRequest();
      for (const _ of outcomes) await identity.verify(newRequest({ accountId, mode: "live" })).catch(() => {});
      const period = { from: 0, to: Date.now() + 1, accountId };
      const [sums] = await attemptSums(store.db, period, { by: "account", zone });
      const { attempts, costKobo, unsureKobo } = sums!;
      assert.deepEqual([attempts, costKobo, unsureKobo], [6, 4_000 + 5_000 + 5_000 + 5_000, 5_000 + 5_000]);

      await followJournal({ db: store.db, audit: async () => {}, zone });
      const kept = store.db.selectFrom("verification_sum").select("billed_kobo").where("account_id", "=", accountId);
      assert.deepEqual(await kept.where("span", "=", "day").where("attempts", ">", 0).execute(), [
        { billed_kobo: costKobo },
      ]);

      await identity.verify(newRequest({ accountId })).catch(() => {});
      const byMode = await attemptSums(store.db, { ...period, to: Date.now() + 1 }, { by: "account", zone });
      assert.deepEqual(
        byMode.map(({ mode, attempts }) => [mode, attempts]),
        [
          ["live", 6],
          ["test", 1],
        ],
      );

      // After the day has ended, its daily sums give equal figures.
      await recountAfterOlderVersion({ db: store.db, now: Date.now }, zone, new AbortController().signal);
      await store.db.deleteFrom("verification_attempt").execute();
      const tomorrow = Date.now() + 86_400_000;
      for (const by of attemptGroupings) {
        const [later] = await attemptSums(store.db, { ...period, to: tomorrow }, { by, zone, now: tomorrow });
        assert.deepEqual({ ...later, group: "" }, { ...sums, group: "" });
      }
    });
  });
