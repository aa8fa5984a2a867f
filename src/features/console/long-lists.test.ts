import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import { storeRows, verifiedRow } from "../../ledger/ledger-rows.fixture.ts";
import { newReference } from "../../ledger/reference.ts";
import { type Operators, startOperators } from "./operators.fixture.ts";

const many = 60_000;
const started = Date.parse("2026-03-02T12:00:00Z");
/**
 * Bytes. All rows at once take 110 MiB, chunks take 13. `mostGrowth` lies between, because garbage collection may come
 * late.
 */
const mostGrowth = 64 * 1024 * 1024;

for (const engine of usualEngines)
  suite(`a list of ${many} rows on ${engine.name}`, () => {
    let operators: Operators;

    before(async () => {
      operators = await startOperators(engine);
      const { service } = operators;
      const { db } = await service.store();
      const accounts = [await service.newAccount("Shop"), await service.newAccount("Kiosk")];
      const ids = await db.selectFrom("account").select("id").where("email", "in", accounts).orderBy("email").execute();
      const [few, most] = ids.map(({ id }) => id) as [string, string];
      for (let from = 0; from < many; from += 2_000) {
        const rows = Array.from({ length: 2_000 }, (_, at) => {
          const begun = started + (from + at) * 1_000;
          return verifiedRow(from === 0 ? few : most, begun, { mode: "live", reference: newReference(begun) });
        });
        await storeRows(db, ...rows);
      }
    });
    after(() => operators.service.close());

    /** Returns the lines of a CSV, and the growth of the process's memory meanwhile. */
    const download = async (query: string) => {
      const { origin, by } = operators;
      const begun = process.memoryUsage().rss;
      const response = await fetch(`${origin}/verifications?_csv=1&${query}`, {
        headers: { Cookie: by.viewer.cookie },
      });
      assert.equal(response.status, 200);
      let [lines, most] = [0, begun];
      for await (const chunk of response.body!) {
        for (const byte of chunk) if (byte === 10) lines += 1;
        most = Math.max(most, process.memoryUsage().rss);
      }
      return { lines, growth: most - begun };
    };

    test("a long list is downloaded completely as CSV, and the process's memory does not grow with it", async (t) => {
      assert.equal((await download("account=kiosk@example.com")).lines, 2_001);
      const { lines, growth } = await download("mode=live");
      t.diagnostic(`${lines} lines, ${Math.round(growth / 1024 ** 2)} MiB`);
      assert.equal(lines, many + 1);
      assert.ok(growth < mostGrowth, `it grew by ${growth} bytes`);
    });
  });
