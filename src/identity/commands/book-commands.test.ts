import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, suite, test } from "node:test";
import { engines, type Fresh } from "../../../test/support/engines.ts";
import { makeStore, type Ran, ran } from "../../cli/testing.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import { openStore } from "../../storage/store.ts";
import { storeRows, verifiedRow } from "../ledger/ledger-rows.fixture.ts";

const zone = new TimeZone("Africa/Lagos");
/** The month that ended last. */
const month = zone.monthOf(zone.startOfMonth(zone.monthOf(Date.now())) - 86_400_000);
const start = zone.startOfMonth(month);

for (const { name, fresh } of engines) {
  suite(`the books on ${name}`, () => {
    let place: Fresh;
    let duba: (...argv: string[]) => Promise<Ran>;

    before(async () => {
      place = await fresh();
      await makeStore(place.settings);
      const { dataDirectory, databaseUrl } = place.settings;
      const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
      duba = (...argv) => ran(argv, { environment });
      const account = ["accounts", "create", "--name", "Shop", "--email", "shop@example.com", "--json"];
      const { id } = JSON.parse((await duba(...account)).out);
      const store = await openStore({ ...place.settings, serving: false });
      await storeRows(
        store.db,
        verifiedRow(id, start, { reference: "aaaaaa000000001", fee: 10_050 }),
        verifiedRow(id, start + 5_000, { reference: "aaaaaa000000002", kind: "nin", mode: "test", fee: 5 }),
      );
      await store.db
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
      await store.close();
    });
    after(() => place.dispose());

    const statement = (...options: string[]) =>
      duba("books", "statement", "--account", "shop@example.com", "--month", month, ...options);

    test("a statement has the same bytes each time, in each form, and its hash is the one of the CSV's lines", async () => {
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
      assert.match(text.out, /^live +all +100$/m);
      assert.match(text.out, /live +adjustment +-0\.5 +Late, twice$/m);
    });

    test("a month that is not over, is none, or is gone is refused with exit code 2", async () => {
      const refusals: [string, RegExp][] = [
        [zone.monthOf(Date.now()), /is complete from \S+\+01:00 on/],
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

    test("an adjustment is a line of the running month, and leaves the statement as it is", async () => {
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
      assert.match((await adjust("--debit", "5", "--reason", "Was too much")).out, /^Adjustment \S+ of 5 naira/);
      assert.equal((await statement("--json")).out, before);
      const { groups } = JSON.parse((await duba("ledger", "summary", "--json")).out);
      assert.deepEqual(
        groups.map(({ kind, charged, fees }: Record<string, unknown>) => [kind, charged, fees]),
        [
          [null, 0, "5"],
          ["bvn", 0, "-100.5"],
        ],
      );
    });

    test("an adjustment that does not say one amount and a reason is refused", async () => {
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
