import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { ran } from "../../../../test/support/command-line.ts";
import { engines } from "../../../../test/support/engines.ts";
import { startService, type TestService } from "../../../../test/support/service.ts";
import { attemptRow, storeAttempts, storeRows, verifiedRow } from "../../../ledger/ledger-rows.fixture.ts";

const hour = 3_600_000;

for (const engine of engines)
  suite(`use over time on ${engine.name}`, () => {
    let service: TestService;
    type Use = { period: string; begins_at: string; attempts: number; verified: number; charged: string }[];
    let use: (...argv: string[]) => Promise<Use>;
    let useOfKey: (...argv: string[]) => Promise<Use>;
    let [till, kiosk] = ["", ""];

    before(async () => {
      service = await startService({}, engine);
      const { dataDirectory, databaseUrl } = service.settings;
      const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
      const json = async (...argv: string[]) => JSON.parse((await ran([...argv, "--json"], { environment })).out);
      use = (...argv) => json("books", "use", ...argv);
      useOfKey = (...argv) => json("keys", "use", ...argv);
      const { db, now } = await service.store();
      const email = await service.newAccount("Shop");
      await service.newAccount("Other");
      const { id } = await db.selectFrom("account").select("id").where("email", "=", email).executeTakeFirstOrThrow();
      const newKey = async (label: string) => (await service.newKey({ account: email, mode: "live", label })).id;
      [till, kiosk] = [await newKey("Till"), await newKey("Kiosk")];
      const times = [0, hour, 40 * 24 * hour].map((ago) => now() - ago);
      const rows = times.map((at, place) =>
        verifiedRow(id, at, {
          mode: "live",
          key_id: place === 1 ? kiosk : till,
          reference: `3wKwKW71964069${place}`,
          charged: 1,
          charged_at: at,
          fee: 7_800,
        }),
      );
      await storeRows(db, ...rows);
      const answered = rows.map((row) => attemptRow(row, { answered_at: row.started_at, price: null, bill: null }));
      await storeAttempts(db, ...answered);
      await ran(["books", "rebuild-sums"], { environment });
    });
    after(() => service.close());

    test("books use lists 24 hours, 30 days or 12 months, and the last row includes the present", async () => {
      const sumOf = (rows: { verified: number }[]) => rows.reduce((sum, { verified }) => sum + verified, 0);
      const asked = Date.now();
      const hours = await use("--account", "shop@example.com");
      assert.deepEqual([hours.length, sumOf(hours)], [24, 2]);
      assert.ok(asked - Date.parse(hours.at(-1)!.begins_at) < hour);
      const days = await use("--account", "shop@example.com", "--span", "30d");
      assert.deepEqual([days.length, sumOf(days)], [30, 2]);
      const months = await use("--account", "shop@example.com", "--span", "12m");
      assert.deepEqual([months.length, sumOf(months)], [12, 3]);
    });

    test("books trend and books use leave out corrections by hand, and their help says so", async () => {
      const { dataDirectory, databaseUrl } = service.settings;
      const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
      const run = (...argv: string[]) => ran(argv, { environment });
      const read = async (...argv: string[]) => JSON.parse((await run(...argv, "--json")).out);
      const charged = async () => (await read("books", "trend", "--account", "shop@example.com"))[2].charged;
      const before = await charged();
      const fees = async () => (await read("books", "summary", "--from", "2020-01-01")).fees;
      const feesBefore = await fees();
      const credit = ["--account", "shop@example.com", "--credit", "8", "--sure", "--reason", "Goodwill"];
      assert.equal((await run("books", "adjust", ...credit)).exitCode, 0);
      assert.equal(await charged(), before);
      assert.equal(Number(await fees()), Number(feesBefore) - 8);
      for (const argv of [
        ["books", "trend"],
        ["books", "use"],
        ["keys", "use"],
      ])
        assert.match((await run(...argv, "--help")).out, /Charges\s+are\s+without\s+corrections\s+by\s+hand/);
    });

    test("a key's use counts only its own verifications, and the keys of an account add up to its use", async () => {
      const sumOf = (rows: Use, of: "attempts" | "verified") => rows.reduce((sum, each) => sum + each[of], 0);
      const ofTill = await useOfKey(till);
      assert.deepEqual([ofTill.length, sumOf(ofTill, "attempts"), sumOf(ofTill, "verified")], [24, 1, 1]);
      assert.deepEqual(
        ofTill.filter(({ charged }) => charged !== "0").map(({ charged }) => charged),
        ["78"],
      );
      const year = await Promise.all([till, kiosk].map((id) => useOfKey(id, "--span", "12m")));
      assert.deepEqual(
        year.map((rows) => [rows.length, sumOf(rows, "verified")]),
        [
          [12, 2],
          [12, 1],
        ],
      );
      assert.equal(sumOf(await use("--account", "shop@example.com", "--span", "12m"), "verified"), 3);
    });

    test("a client's use counts the client's verifications, and a vendor's use the vendor's attempts", async () => {
      const verified = async (...argv: string[]) =>
        (await use(...argv, "--span", "12m")).reduce((sum, each) => sum + each.verified, 0);
      assert.equal(await verified("--account", "other@example.com"), 0);
      assert.equal(await verified("--vendor", "dojah"), 3);
      assert.equal(await verified("--vendor", "prembly"), 0);
    });
  });
