import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { suite, test } from "node:test";
import { sql } from "kysely";
import { append } from "../../audit/append.ts";
import { feesOf } from "../../checks/kinds.fixture.ts";
import { Charges } from "../../ledger/charges.ts";
import { storeRows, verifiedRow } from "../../ledger/ledger-rows.fixture.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import { applyRetention } from "../../storage/tables/apply-retention.fixture.ts";
import { engines, newRequest, suiteStore } from "../../verification/identity.fixture.ts";
import { ledgerRows } from "../../verification/ledger.fixture.ts";
import { answering, verified } from "../../verification/played-upstream.fixture.ts";
import { adjust } from "./adjust.ts";
import { statementOf } from "./statement.ts";

const zone = new TimeZone("Africa/Lagos");
/** Midnight of 1 November in Lagos, an hour before UTC. */
const november = Date.UTC(2026, 9, 31, 23);
const december = Date.UTC(2026, 10, 30, 23);
const day = 24 * 60 * 60 * 1000;

for (const engine of engines) {
  suite(`a statement on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const statement = (accountId: string, now = december + day, month = "2026-11") =>
      statementOf(store.db, { accountId, month, zone, now });
    const audited = () => ({ db: store.db, audit: append, actor: "terminal:ada" });

    test("a statement agrees to the kobo with a query by hand, in a month with a fee change", async (t) => {
      let now = november - 1;
      const { upstream } = answering((attempt, nth) =>
        nth % 4 === 0 ? { state: "negative", reason: "not_found" } : verified(attempt),
      );
      const upstreams = { test: upstream, live: [upstream] };
      const mine = newRequest({ kind: "bvn" });
      const verify = async (bvn: number, times: readonly number[]) => {
        const identity = await store.open(t, {
          upstreams,
          settings: { fees: feesOf(1, { bvn }), limits: null },
          now: () => now,
        });
        for (now of times)
          for (const mode of ["live", "test"] as const)
            await identity.verify({ ...mine, mode }).catch(({ code }) => assert.equal(code, "bvn_not_found"));
      };
      const inMonth = Array.from({ length: 9 }, (_, nth) => november + nth * 3.3 * day);
      await verify(10_005, [november - 1, november, ...inMonth.slice(0, 5)]);
      await verify(12_350, [...inMonth.slice(5), december - 1, december]);
      now = november + 20 * day + 1;
      const charged = (await ledgerRows(store.db, mine)).find(({ charged_at }) => charged_at === november)!;
      await new Charges(store.db, () => now).withdraw(charged.reference, { mark: charged.charge_mark, replaces: "" });
      await adjust(
        audited(),
        { accountId: mine.accountId, mode: "live", kobo: -3_333, reason: "goodwill" },
        december - 1,
      );
      await adjust(audited(), { accountId: mine.accountId, mode: "live", kobo: 77, reason: "later" }, december);

      const { lines, sums } = await statement(mine.accountId);
      const { rows } = await sql<{ mode: string; day: string; kobo: number; count: number }>`
        select mode, day, sum(kobo) as kobo, count(*) as count from (
          select mode, fee as kobo, ${sql.raw(dayInLagos[engine.name]("charged_at"))} as day
            from verification where account_id = ${mine.accountId}
          union all
          select mode, kobo, ${sql.raw(dayInLagos[engine.name]("at"))} as day
            from adjustment where account_id = ${mine.accountId}
        ) as entries where day like '2026-11-%' group by mode, day order by mode desc, day`.execute(store.db);
      assert.ok(rows.length > 10);
      const total = (of: typeof rows) => of.reduce((sum, { kobo }) => sum + kobo, 0) / 100;
      for (const mode of ["live", "test"]) {
        const ofMode = rows.filter((row) => row.mode === mode);
        const { days, fees, charges, adjustments } = sums[mode]!;
        assert.deepEqual(
          Object.entries(days).map(([day, naira]) => [day, Number(naira)]),
          ofMode.map(({ day, kobo }) => [day, kobo / 100]),
        );
        assert.equal(Number(fees), total(ofMode));
        assert.equal(
          charges + adjustments,
          ofMode.reduce((sum, { count }) => sum + count, 0),
        );
      }
      assert.equal(
        lines.length,
        rows.reduce((sum, { count }) => sum + count, 0),
      );
      assert.equal(
        Math.round(lines.reduce((sum, { fee }) => sum + Number(fee) * 100, 0)),
        Math.round(total(rows) * 100),
      );
      const first = lines[0]!;
      assert.deepEqual([first.time, first.day, first.fee], ["2026-11-01T00:00:00.000+01:00", "2026-11-01", "100.05"]);
      assert.equal(lines.at(-1)!.day, "2026-11-30");
    });

    test("events after its month never change the bytes of a statement", async () => {
      const { accountId } = newRequest();
      const [row] = await storeRows(
        store.db,
        verifiedRow(accountId, november + 5),
        verifiedRow(accountId, november + 5, { mode: "test", kind: "nin", fee: 5 }),
        // This verification was created in October and charged in November.
        verifiedRow(accountId, november - 5, { charged_at: november }),
      );
      const before = JSON.stringify(await statement(accountId));
      await store.db
        .updateTable("verification")
        .set({ subject_last4: "erased", charged: 0, charge_mark: "other", key_id: "other" })
        .where("account_id", "=", accountId)
        .execute();
      await adjust(
        audited(),
        { accountId, mode: "live", kobo: -row!.fee, reason: "waived", reference: row!.reference },
        december + 5,
      );
      const end = Date.UTC(2028, 9, 31, 23);
      await applyRetention(store.db, { now: end, recordRetention: 0 });
      assert.equal(JSON.stringify(await statement(accountId, end)), before);
      await assert.rejects(statement(accountId, end + 1), /The ledger no longer holds all of 2026-11/);
      assert.equal((await statement(accountId, end, "2026-12")).sums.live!.fees, "-100");
    });

    test("lines of one millisecond have a fixed order: charges by reference, then adjustments by id", async () => {
      const { accountId } = newRequest();
      const rows = Array.from({ length: 8 }, () => verifiedRow(accountId, november, { charged_at: november + 5 }));
      await storeRows(store.db, ...rows.toReversed());
      const correction = {
        accountId,
        mode: "live",
        reference: rows[0]!.reference,
        reason: "again",
        sure: true,
      } as const;
      const made: { id: string; kobo: number }[] = [];
      for (let kobo = 100; kobo <= 800; kobo += 100)
        made.push({ id: (await adjust(audited(), { ...correction, kobo }, november + 5)).id, kobo });
      const { lines } = await statement(accountId);
      const charges = rows.map(({ reference }) => ["charge", reference, "100"]).toSorted();
      const adjustments = made
        .toSorted((one, other) => (one.id < other.id ? -1 : 1))
        .map(({ kobo }) => ["adjustment", rows[0]!.reference, String(kobo / 100)]);
      assert.deepEqual(
        lines.map(({ line, reference, fee }) => [line, reference, fee]),
        [...charges, ...adjustments],
      );
    });

    test("a statement's number depends on account, month and time zone, and its hash on the lines", async () => {
      const { accountId } = newRequest();
      await storeRows(store.db, verifiedRow(accountId, november));
      await adjust(audited(), { accountId, mode: "live", kobo: 5, reason: 'said "sorry", twice' }, november + 9_000);
      const { number, sha256, lines } = await statement(accountId);
      const csv = lines.map((line) => `${Object.values(line).join(",")}\n`).join("");
      const asCsv = csv.replace('said "sorry", twice', '"said ""sorry"", twice"');
      assert.equal(sha256, createHash("sha256").update(asCsv).digest("hex"));
      const others = await Promise.all([
        statement(newRequest().accountId),
        statement(accountId, december + day, "2026-10"),
        statementOf(store.db, { accountId, month: "2026-11", zone: new TimeZone("UTC"), now: december + day }),
      ]);
      assert.equal(new Set([number, ...others.map((other) => other.number)]).size, 4);
    });

    test("an adjustment's reference must be of its account and mode, and each adjustment is audited", async () => {
      const { accountId } = newRequest();
      const [row] = await storeRows(store.db, verifiedRow(accountId, november));
      const { reference } = row!;
      const correction = { accountId, mode: "live", kobo: -50, reason: "for 22000000017", reference } as const;
      await assert.rejects(adjust(audited(), { ...correction, mode: "test" }), /no test verification/);
      await assert.rejects(adjust(audited(), { ...correction, accountId: "acc_other" }), { exitCode: 1 });
      const { id } = await adjust(audited(), correction);
      const stored = await store.db.selectFrom("adjustment").selectAll().where("id", "=", id).executeTakeFirst();
      assert.deepEqual([stored?.charges, stored?.kobo, stored?.kind, stored?.reason], [0, -50, "bvn", "for …"]);
      const entries = await store.db
        .selectFrom("audit_entry")
        .select("facts")
        .where("kind", "=", "books.adjusted")
        .execute();
      const facts = { adjustment: id, account: accountId, mode: "live", reference, fees: "-0.5", reason: "for …" };
      assert.deepEqual(
        entries.map(({ facts }) => JSON.parse(facts)).find(({ adjustment }) => adjustment === id),
        facts,
      );
    });
  });
}

const dayInLagos = {
  sqlite: (column: string) => `strftime('%Y-%m-%d', ${column} / 1000 + 3600, 'unixepoch')`,
  postgres: (column: string) => `to_char(to_timestamp(${column} / 1000.0) at time zone 'Africa/Lagos', 'YYYY-MM-DD')`,
};
