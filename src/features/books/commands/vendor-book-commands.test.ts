import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { usualEngines } from "../../../../test/support/engines.ts";
import { newAttempt } from "../../../ledger/attempts.ts";
import { completeMonth, storeRows, verifiedRow } from "../../../ledger/ledger-rows.fixture.ts";
import { TimeZone } from "../../../runtime/time-zone.ts";
import { suiteShop } from "../../../verification/commands/ledger-commands.fixture.ts";

const zone = new TimeZone("Africa/Lagos");
const month = completeMonth();

for (const engine of usualEngines)
  suite(`what duba books reconcile adds up on ${engine.name}`, () => {
    const shop = suiteShop(engine, async (db, id) => {
      const at = zone.startOfMonth(month) + 60_000;
      const [row] = await storeRows(db, verifiedRow(id, at));
      const attempt = newAttempt({ ...row!, kind: "bvn" }, { vendor: "dojah", at, requestId: "r", price: 5_000 });
      const answered = { outcome: "verified", answered_at: at + 900, vendor_reference: "D-1" } as const;
      await db
        .insertInto("verification_attempt")
        .values({ ...attempt, ...answered })
        .execute();
    });
    const reconcile = (...lines: string[]) => {
      const invoice = join(shop.settings.dataDirectory, "invoice.csv");
      writeFileSync(invoice, ["reference,amount", ...lines, ""].join("\n"));
      return shop.duba("books", "reconcile", invoice, "--vendor", "dojah", "--month", month);
    };

    test("an attempt that the vendor bills twice counts once, and a credit without its line is reported", async () => {
      const { exitCode, out } = await reconcile("D-1,50", "D-1,50", "D-7,-45.55");
      assert.equal(exitCode, 1);
      assert.match(out, /^agree +1 +₦50\.00 +₦50\.00$/m);
      assert.match(out, /^billed twice +1 +₦50\.00 +₦0\.00$/m);
      assert.match(out, /^a credit without its line +1 +-₦45\.55 +₦0\.00$/m);
      assert.match(out, /^total +3 +₦54\.45 +₦50\.00$/m);
    });

    test("a second line that the vendor took back is no difference", async () => {
      const { exitCode, out } = await reconcile("D-1,50", "D-1,50", "D-1,-50");
      assert.equal(exitCode, 0);
      assert.match(out, /^There are no differences\.$/m);
    });

    test("a line with the total is no look-up, and is compared with the sum of the lines", async () => {
      const same = await reconcile("D-1,50", "TOTAL,50");
      assert.equal(same.exitCode, 0);
      assert.match(
        same.err,
        /^Line 3 is no attempt, and is left out: its ₦50\.00 is what the lines above add up to\.$/m,
      );
      const other = await reconcile("D-1,50", "TOTAL,53.75");
      assert.match(other.out, /^total +1 +₦50\.00 +₦50\.00$/m);
      assert.match(other.err, /it says ₦53\.75, and the lines above add up to ₦50\.00\.$/m);
    });
  });
