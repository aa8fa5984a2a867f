import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { ran } from "../../../../test/support/command-line.ts";
import { usualEngines } from "../../../../test/support/engines.ts";
import {
  attemptRow,
  completeMonth,
  storeAttempts,
  storeRows,
  verifiedRow,
} from "../../../ledger/ledger-rows.fixture.ts";
import { nextMonth, TimeZone } from "../../../runtime/time-zone.ts";
import { openStore } from "../../../storage/store.ts";
import { suiteShop } from "../../../verification/commands/ledger-commands.fixture.ts";

const zone = new TimeZone("Africa/Lagos");
const month = completeMonth();
const start = zone.startOfMonth(month);
/** This month and the next, because a month may end while a test runs. */
const running = [nextMonth(month), nextMonth(nextMonth(month))];

for (const engine of usualEngines) {
  suite(`the books on ${engine.name}`, () => {
    const shop = suiteShop(engine, async (db, id) => {
      const [row] = await storeRows(
        db,
        verifiedRow(id, start, { reference: "aaaaaa000000001", fee: 10_050 }),
        verifiedRow(id, start + 5_000, { reference: "aaaaaa000000002", kind: "nin", mode: "test", fee: 5 }),
      );
      const unheard = { outcome: "unknown", reason: "timed_out", answered_at: null, price: null, bill: null } as const;
      await storeAttempts(
        db,
        attemptRow(row!, { vendor_reference: "D-1" }),
        attemptRow(row!, { ...unheard, number: 2, bill_certain: 0 }),
      );
      await db
        .insertInto("adjustment")
        .values({
          id: "adjustment-1",
          reference: null,
          account_id: id,
          mode: "live",
          kind: null,
          at: start + 9_000,
          charges: 0,
          kobo: -50,
          reason: "Late, twice",
        })
        .execute();
    });
    const { duba } = shop;

    const statement = (...options: string[]) =>
      duba("books", "statement", "--account", "shop@example.com", "--month", month, ...options);

    test("a statement has the same bytes each time, and its hash is that of its CSV lines", async () => {
      const [json, csv, text] = [await statement("--json"), await statement("--csv"), await statement()];
      assert.deepEqual([json.exitCode, csv.exitCode, text.exitCode], [0, 0, 0]);
      assert.deepEqual([await statement("--json"), await statement("--csv")], [json, csv]);
      const { number, sha256, sums, lines } = JSON.parse(json.out);
      const [heading, ...rest] = csv.out.split(/(?<=\n)/);
      assert.equal(heading, "statement,account,time_zone,mode,line,day,time,reference,kind,fee,reason\n");
      assert.equal(sha256, createHash("sha256").update(rest.join("")).digest("hex"));
      assert.equal(lines.length, 3);
      assert.match(
        rest[0]!,
        new RegExp(`^${number},acc_\\w+,Africa/Lagos,live,charge,${month}-01,${month}-01T00:00:01.000\\+01:00,`),
      );
      const day = `${month}-01`;
      assert.deepEqual(sums, {
        live: { charges: 1, adjustments: 1, fees: "100", days: { [day]: "100" } },
        test: { charges: 1, adjustments: 0, fees: "0.05", days: { [day]: "0.05" } },
      });
      assert.match(text.out, new RegExp(`^number +${number}$`, "m"));
      assert.match(text.out, /^Sums of live mode\n\nday +fees\n[\d-]+ +₦100\.00$/m);
      assert.match(text.out, /live +adjustment +-₦0\.50 +Late, twice$/m);
    });

    test("a statement for a client is a letter with live charges, both parties' names, and the tax", async () => {
      const letter = async (environment: Record<string, string>, ...options: string[]) => {
        const { dataDirectory, databaseUrl } = shop.settings;
        const place = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl, ...environment };
        const asked = ["--account", "shop@example.com", "--month", month, "--for-client", ...options];
        return (await ran(["books", "statement", ...asked], { environment: place })).out;
      };
      const named = { DUBA_BUSINESS_NAME: "Zaria Gateway Ltd", DUBA_TAX: "7.5%" };
      const { number, sha256, client, lines } = JSON.parse(await letter(named, "--json"));
      assert.deepEqual(client, {
        from: "Zaria Gateway Ltd",
        to: "Shop, shop@example.com",
        to_address: null,
        to_tax_number: null,
        issued: `${nextMonth(month)}-01`,
        prepaid: false,
        groups: [
          { kind: "bvn", count: 1, price: "100.5", fees: "100.5" },
          { kind: "", count: 1, price: null, fees: "-0.5" },
        ],
        fees: "100",
        tax: "6.98",
        tax_name: "VAT",
        tax_percent: 7.5,
        tax_is: "included",
        total: "100",
        due: null,
        pay_to: null,
      });
      const payable = {
        DUBA_BUSINESS_ADDRESS: "Kano",
        DUBA_BUSINESS_PAY_TO: "First Bank 1",
        DUBA_BUSINESS_PAY_WITHIN: "10d",
      };
      const former = { DUBA_BUSINESS: "Zaria Gateway Ltd; Kano; pay within 10 days to First Bank 1" };
      for (const environment of [{ ...named, ...payable }, former]) {
        const due = JSON.parse(await letter(environment, "--json")).client;
        assert.deepEqual(
          [due.from, due.due, due.pay_to],
          ["Zaria Gateway Ltd; Kano", `${nextMonth(month)}-10`, "First Bank 1"],
        );
      }
      assert.deepEqual([number, sha256], [JSON.parse((await statement("--json")).out).number, sha256]);
      assert.deepEqual([...new Set(lines.map(({ mode }: { mode: string }) => mode))], ["live"]);
      const added = await letter({ ...named, DUBA_TAX: "7.5% added" });
      assert.match(added, /^from +Zaria Gateway Ltd$/m);
      assert.match(added, /^fees +₦100\.00\nVAT, 7\.5 % on top +₦7\.50\ntotal +₦107\.50$/m);
      const other = await letter({ ...named, DUBA_TAX_NAME: "Sales tax" });
      assert.match(other, /^Sales tax, 7\.5 % in the fees +₦6\.98$/m);
    });

    test("a statement for a client has the client's address and tax number, unless they are removed", async () => {
      const change = (...options: string[]) => duba("accounts", "change", "shop@example.com", ...options);
      const client = async () => JSON.parse((await statement("--for-client", "--json")).out).client;
      const given = await change("--address", " 14 Broad Street;  Lagos Island; ", "--tax-number", "20481234-0001");
      assert.equal(given.exitCode, 0, given.err);
      const { to, to_address, to_tax_number } = await client();
      assert.deepEqual(
        [to, to_address, to_tax_number],
        ["Shop, shop@example.com", "14 Broad Street; Lagos Island", "20481234-0001"],
      );
      assert.match(
        (await statement("--for-client")).out,
        /^address +14 Broad Street; Lagos Island\ntax_number +20481234-0001$/m,
      );
      const shown = JSON.parse((await duba("accounts", "show", "shop@example.com", "--json")).out);
      assert.deepEqual([shown.address, shown.tax_number], ["14 Broad Street; Lagos Island", "20481234-0001"]);
      // A Nigerian tax number in its other form: ten digits.
      assert.equal((await change("--tax-number", "2048123400")).exitCode, 0);
      assert.equal((await client()).to_tax_number, "2048123400");
      for (const printed of [await statement("--for-client"), await duba("accounts", "show", "shop@example.com")])
        assert.match(printed.out, /^tax_number +2048123400$/m);
      for (const wrong of [
        ["--tax-number", "22000000017"],
        ["--tax-number", "220-0000-0017"],
        ["--tax-number", "080-3123-456"],
        ["--tax-number", "2348031234567"],
        ["--address", "Ask 0803 123 4567"],
        ["--address", " ; "],
      ])
        assert.equal((await change(...wrong)).exitCode, 2, wrong.join(" "));
      const trail = (await duba("audit", "tail", "--json")).out;
      assert.match(trail, /address tax_number/);
      assert.doesNotMatch(trail, /Broad Street|20481234|2048123400/);
      assert.equal((await change("--address", "none", "--tax-number", "none")).exitCode, 0);
      const after = await client();
      assert.deepEqual([after.to_address, after.to_tax_number], [null, null]);
    });

    test("a statement of the current month has no number", async () => {
      const { exitCode, out } = await duba("books", "statement", "--account", "shop@example.com", "--so-far", "--json");
      const soFar = JSON.parse(out);
      assert.deepEqual([exitCode, soFar.number], [0, null]);
      assert.ok(running.includes(soFar.month), soFar.month);
      const whole = await duba("books", "statement", "--account", "shop@example.com", "--json");
      // In the first hour of a month, last month's statement is not complete.
      if (whole.exitCode === 2) assert.match(whole.err, new RegExp(`${month}|${running[0]} is complete from`));
      else assert.ok(running.includes(nextMonth(JSON.parse(whole.out).month)), whole.out);
    });

    test("books statement refuses an unfinished, malformed or deleted month with exit code 2", async () => {
      const refusals: [string, RegExp][] = [
        [zone.monthOf(Date.now()), /^--so-far is required .+\. .+ is complete from \S+\+01:00 on\.\n/],
        ["2026-13", /^--month must be a month such as 2026-11/],
        ["2001-01", /^The ledger no longer holds all of 2001-01/],
      ];
      for (const [month, expected] of refusals) {
        const { exitCode, out, err } = await duba(
          "books",
          "statement",
          "--account",
          "shop@example.com",
          "--month",
          month,
        );
        assert.deepEqual([exitCode, out], [2, ""]);
        assert.match(err, expected);
      }
    });

    test("an adjustment becomes a line of the current month, and leaves past statements unchanged", async () => {
      const before = (await statement("--json")).out;
      const adjust = (...options: string[]) => duba("books", "adjust", "--account", "shop@example.com", ...options);
      const made = await adjust(
        "--credit",
        "100.50",
        "--reference",
        "aaaaaa000000001",
        "--reason",
        "Charged twice",
        "--json",
      );
      assert.equal(made.exitCode, 0);
      const { id: _, at: __, ...shown } = JSON.parse(made.out);
      assert.deepEqual(shown, {
        account: "shop@example.com",
        mode: "live",
        reference: "aaaaaa000000001",
        fees: "-100.5",
      });
      assert.match(
        (await adjust("--debit", "5", "--reason", "Was too much", "--sure")).out,
        /^Adjustment \S+ of ₦5\.00/,
      );
      assert.equal((await statement("--json")).out, before);
      const { db, close } = await openStore({ ...shop.settings, serving: false });
      const events = await db.selectFrom("event").select(["type", "data"]).orderBy("number").execute();
      await close();
      assert.deepEqual(
        events.map(({ type, data }) => [type, { ...JSON.parse(data), charged_at: "" }]),
        [
          [
            "verification.reversed",
            { request_reference: "aaaaaa000000001", kind: "bvn", fee: "100.5", charged_at: "" },
          ],
          ["verification.charged", { request_reference: null, kind: null, fee: "5", charged_at: "" }],
        ],
      );
      const { groups } = JSON.parse((await duba("ledger", "summary", "--from", `${running[0]}-01`, "--json")).out);
      assert.deepEqual(
        groups.map(({ kind, charged, fees }: Record<string, unknown>) => [kind, charged, fees]),
        [
          [null, 0, "5"],
          ["bvn", 0, "-100.5"],
        ],
      );
    });

    test("books reconcile compares an invoice with our attempts, and exits with 1 for a difference", async () => {
      const invoice = join(shop.settings.dataDirectory, "invoice.csv");
      const reconcile = (text: string, ...options: string[]) => {
        writeFileSync(invoice, text);
        return duba("books", "reconcile", invoice, "--vendor", "dojah", ...options);
      };
      const good = await reconcile(`reference,amount\nD-1,50\n`, "--month", month, "--json");
      assert.equal(good.exitCode, 0);
      const answer = JSON.parse(good.out);
      assert.deepEqual([answer.lines, answer.agreed], [1, { count: 1, vendor: "50", here: "50" }]);
      assert.match(
        (await reconcile("reference,amount\nD-1,50\n", "--month", month)).out,
        /^dojah: the one line agrees: ₦50\.00\.$/m,
      );

      const bad = await reconcile(
        `ref,when,bvn,amount\nD-2,${month}-01 00:00,22000004321,50\n`,
        "--time-column",
        "When",
      );
      assert.equal(bad.exitCode, 1);
      assert.match(bad.out, /^only the vendor has it +1 +₦50\.00 +₦0\.00$/m);
      assert.match(bad.out, /^not billed +1 +₦0\.00 +₦50\.00$/m);
      assert.match(bad.out, /^total +2 +₦50\.00 +₦50\.00$/m);
      assert.match(bad.out, /^only the vendor has it +2 .* D-2 +- +4321 +₦50\.00 +-$/m);
      assert.doesNotMatch(bad.out + bad.err, /22000004321/);
      const csv = await reconcile(`reference,amount\nD-1,51\n`, "--month", month, "--csv");
      assert.match(csv.out, /^other_price,2,D-1,aaaaaa000000001,1,.*,0017,51,50$/m);

      for (const [text, options, expected] of [
        ["reference,amount\nD-1,x\n", ["--month", month], /^Line 2: the price must be/],
        ["reference,amount\nD-1,1\n", [], /give its month/],
        ["reference\n1\n", ["--month", month, "--price-column", "Cost"], /has no column "Cost"/],
      ] as const) {
        const { exitCode, err } = await reconcile(text, ...options);
        assert.equal(exitCode, 2);
        assert.match(err, expected);
      }
    });

    test("the margin is the fees of live verifications minus the vendors' bills", async () => {
      const days = ["--from", `${month}-01`, "--to", zone.dayOf(zone.startOfMonth(running[0]!) - 1)];
      // The test inserted rows directly, so the sums have to be rebuilt.
      assert.equal((await duba("books", "rebuild-sums")).exitCode, 0);
      const { out, err } = await duba("books", "summary", "--by", "month", ...days, "--json");
      assert.equal(err, "");
      const group = {
        group: month,
        charged: 1,
        fees: "100.5",
        attempts: 2,
        unpriced: 1,
        cost: "50",
        cost_unknown: "0",
        margin: "50.5",
      };
      assert.deepEqual(JSON.parse(out).groups, [
        {
          ...group,
          kind: null,
          charged: 0,
          fees: "-0.5",
          attempts: 0,
          unpriced: 0,
          cost: "0",
          cost_unknown: "0",
          margin: "-0.5",
        },
        { ...group, kind: "bvn" },
      ]);
      const byVendor = await duba("books", "summary", "--by", "vendor", ...days);
      assert.match(byVendor.out, /^dojah +bvn +- +- +2 +1 +₦50\.00 +₦0\.00 +-$/m);
      assert.match(byVendor.err, /Attempts without a price, which are not in the cost: 1\./);
    });

    test("an attempt is listed with an unknown price until books price sets its price", async () => {
      const invoice = join(shop.settings.dataDirectory, "unpriced.csv");
      writeFileSync(invoice, `reference,when,bvn,amount\nD-1,,,50\n,${zone.isoOf(start)},22000000017,5000\n`);
      const reconcile = () =>
        duba("books", "reconcile", invoice, "--vendor", "dojah", "--month", month, "--time-column", "when");
      const before = await reconcile();
      assert.equal(before.exitCode, 1);
      assert.match(before.out, /^a price is not known +1 +₦5,000\.00 +₦0\.00$/m);
      const to = zone.dayOf(zone.startOfMonth(running[0]!) - 1);
      const price = (...prices: string[]) =>
        duba("books", "price", ...prices, "--vendor", "dojah", "--from", `${month}-01`, "--to", to);
      assert.match((await price("bvn.not_found=5")).err, /Give the price of a kind of number/);
      assert.match((await price("bvn=50")).out, /^1 of 2 attempts at dojah .* now: ₦100\.00 in all, /m);
      const after = await reconcile();
      assert.match(after.out, /^another price +1 +₦5,000\.00 +₦50\.00$/m);
      assert.match((await price("bvn=50")).out, /^0 of 2 attempts/);
      assert.match((await duba("audit", "tail", "--kind", "books.priced")).out, /bvn=50/);
    });

    test("books adjust refuses a correction without exactly one amount and a reason", async () => {
      const adjust = (...options: string[]) => duba("books", "adjust", "--account", "shop@example.com", ...options);
      const refusals: [string[], number, RegExp][] = [
        [["--reason", "x"], 2, /^Give either a credit or a debit/],
        [["--credit", "1", "--debit", "1", "--reason", "x"], 2, /^Give either/],
        [["--credit", "0", "--reason", "x"], 2, /^Give either/],
        [["--credit", "1"], 2, /^--reason is required/],
        [["--credit", "1", "--reason", "=SUM(A1)"], 2, /^--reason must be a sentence/],
        [
          ["--credit", "1", "--reason", "x", "--reference", "bbbbbb000000001"],
          1,
          /^The account has no live verification/,
        ],
      ];
      for (const [options, code, expected] of refusals) {
        const { exitCode, err } = await adjust(...options);
        assert.equal(exitCode, code, options.join(" "));
        assert.match(err, expected);
      }
    });
  });
}
