import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { engines, suiteStore } from "../../verification/identity.fixture.ts";
import { addSum } from "../journal/sum-rows.fixture.ts";
import { trendOf } from "./trend.ts";

const hour = 3_600_000;
const day = 24 * hour;
const now = Date.UTC(2026, 10, 20, 12);

for (const engine of engines)
  suite(`the trend on ${engine.name}`, () => {
    const store = suiteStore(engine);

    test("the trend compares a span of live verifications with the span before it", async () => {
      const good = {
        attempts: 4,
        verified: 2,
        negative: 1,
        failed: 1,
        billed_kobo: 200,
        charges: 2,
        charged_kobo: 500,
      };
      const sum = (span: "hour" | "day", ago: number, more = {}) => {
        const key = {
          span,
          begins_at: now - ago,
          account_id: "a",
          mode: "live",
          kind: "bvn",
          vendor: "prembly",
          ...more,
        };
        return addSum(store.db, key, good);
      };
      await sum("hour", 2 * hour);
      await sum("hour", 3 * hour, { account_id: "b", vendor: "dojah" });
      await sum("hour", 2 * hour, { mode: "test" });
      await sum("hour", 30 * hour);
      await sum("day", 29 * day);
      await sum("day", 31 * day, { vendor: "dojah" });
      await sum("day", 170 * day);
      const figures = { attempts: 4, refused: 0, answered: 3, charges: 2, charged: 500, billed: 200 };
      const [twice, nothing] = [2, 0].map((times) =>
        Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, times * figure])),
      );
      const of = async (what: Parameters<typeof trendOf>[2]) =>
        (await trendOf(store.db, now, what)).map(({ last, before }) => [last, before]);
      assert.deepEqual(await of({}), [
        [twice, figures],
        [figures, figures],
        [twice, figures],
      ]);
      assert.deepEqual(await of({ accountId: "b" }), [
        [figures, nothing],
        [nothing, nothing],
        [nothing, nothing],
      ]);
      assert.deepEqual(await of({ vendor: "dojah" }), [
        [figures, nothing],
        [nothing, figures],
        [figures, nothing],
      ]);
    });
  });
