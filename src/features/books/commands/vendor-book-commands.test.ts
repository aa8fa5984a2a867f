import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { usualEngines } from "../../../../test/support/engines.ts";
import {
  attemptRow,
  completeMonth,
  storeAttempts,
  storeRows,
  verifiedRow,
} from "../../../ledger/ledger-rows.fixture.ts";
import { TimeZone } from "../../../runtime/time-zone.ts";
import { erased } from "../../../storage/erase-verifications.ts";
import { suiteShop } from "../../../verification/commands/ledger-commands.fixture.ts";

const zone = new TimeZone("Africa/Lagos");
const month = completeMonth();

for (const engine of usualEngines)
  suite(`what duba books reconcile adds up on ${engine.name}`, () => {
    const shop = suiteShop(engine, async (db, id) => {
      const at = zone.startOfMonth(month) + 60_000;
      const [row, erasedRow] = await storeRows(
        db,
        verifiedRow(id, at),
        verifiedRow(id, zone.startOfMonth(month) + 3_600_000, { subject_last4: erased }),
      );
      await storeAttempts(
        db,
        attemptRow(row!, { vendor_reference: "D-1" }),
        attemptRow(erasedRow!, { vendor_reference: null, bill_certain: 0 }),
      );
    });
    const reconcile = (...lines: string[]) => {
      const invoice = join(shop.settings.dataDirectory, "invoice.csv");
      writeFileSync(invoice, ["reference,amount", ...lines, ""].join("\n"));
      return shop.duba("books", "reconcile", invoice, "--vendor", "dojah", "--month", month);
    };

    test("books reconcile reports an attempt that is billed twice, and a credit without its line", async () => {
      const { exitCode, out } = await reconcile("D-1,50", "D-1,50", "D-7,-45.55");
      assert.equal(exitCode, 1);
      assert.match(out, /^agree +1 +₦50\.00 +₦50\.00$/m);
      assert.match(out, /^billed twice +1 +₦50\.00 +₦0\.00$/m);
      assert.match(out, /^a credit without its line +1 +-₦45\.55 +₦0\.00$/m);
      assert.match(out, /^total +3 +₦54\.45 +₦50\.00$/m);
    });

    test("a second invoice line for an attempt is no difference if a credit reverses the line", async () => {
      const { exitCode, out } = await reconcile("D-1,50", "D-1,50", "D-1,-50");
      assert.equal(exitCode, 0);
      assert.match(out, /^dojah: all 3 lines agree: ₦50\.00\.$/m);
    });

    test("a total line of an invoice is no attempt, and is compared with the sum of the lines above", async () => {
      const same = await reconcile("D-1,50", "TOTAL,50");
      assert.equal(same.exitCode, 0);
      assert.match(
        same.err,
        /^Line 3 is no attempt, and is left out: its ₦50\.00 is what the lines above add up to\.$/m,
      );
      const other = await reconcile("D-1,50", "TOTAL,53.75");
      assert.match(other.out, /^dojah: the one line agrees: ₦50\.00\.$/m);
      assert.match(other.err, /it says ₦53\.75, and the lines above add up to ₦50\.00\.$/m);
    });

    test("books reconcile states the disputed amount in a sentence, and hides empty groups", async () => {
      const { out } = await reconcile("D-1,50", "D-1,50", "D-9,70");
      assert.match(out, /^dojah: 1 of 3 lines agree, and ₦120\.00 is disputed\.$/m);
      assert.match(out, /^only the vendor has it +1 +₦70\.00 +₦0\.00$/m);
      assert.doesNotMatch(out, /a credit without its line|not billed/);
      const well = await reconcile("D-1,50");
      assert.match(well.out, /^dojah: the one line agrees: ₦50\.00\.$/m);
    });

    test("books reconcile does not dispute a line that may be of an erased person", async () => {
      const invoice = join(shop.settings.dataDirectory, "erased.csv");
      const time = zone.isoSecondOf(zone.startOfMonth(month) + 3_600_000);
      writeFileSync(invoice, `time,bvn,amount\n${time},*******0117,60\n`);
      const { out } = await shop.duba("books", "reconcile", invoice, "--vendor", "dojah", "--month", month);
      assert.match(out, /^dojah: 0 of 1 lines agree, and nothing is disputed\.$/m);
      assert.match(out, /^perhaps of an erased person +1 +₦60\.00 +₦50\.00$/m);
      assert.doesNotMatch(out, /only the vendor has it/);
    });

    test("headings named for one invoice apply to the vendor's next invoice, and not to other vendors", async () => {
      const invoice = join(shop.settings.dataDirectory, "odd.csv");
      writeFileSync(invoice, "Dojah Ltd\nNote,Order,Net\nD-9,D-1,50\nD-8,D-2,60\n");
      const check = async (vendor: string, ...more: string[]) => {
        const argv = ["books", "reconcile", invoice, "--vendor", vendor, "--month", month, "--json", ...more];
        return JSON.parse((await shop.duba(...argv)).out);
      };
      const { read: guessed, agreed: none } = await check("dojah");
      assert.deepEqual([guessed.reference, none.count], ["Order", 1]);
      const { read: named } = await check("dojah", "--reference-column", "Note", "--price-column", "none");
      assert.deepEqual([named.reference, named.price], ["Note", null]);
      assert.deepEqual((await check("dojah")).read, named);
      assert.equal((await check("prembly")).read.reference, "Order");
      assert.equal((await check("dojah", "--reference-column", "Order")).agreed.count, 1);
    });
  });
