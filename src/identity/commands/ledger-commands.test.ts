import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { engines, type Fresh } from "../../../test/support/engines.ts";
import { makeStore, type Ran, ran } from "../../cli/testing.ts";
import { openStore } from "../../storage/store.ts";
import type { VerificationRow } from "../../storage/tables.ts";

const made = Date.UTC(2026, 2, 15, 12);

const row: VerificationRow = {
  reference: "aaaaaa000000001",
  account_id: "",
  key_id: "key",
  mode: "live",
  kind: "bvn",
  state: "verified",
  idempotency_hash: "hash-of-key",
  body_hash: "hash-of-body",
  subject_hash: "hash-of-subject",
  subject_last4: "0017",
  upstream: "played",
  run: 2,
  attempts: 2,
  unresolved: 1,
  bad_answers: 0,
  amount: 10_000,
  fee: 8_050,
  charged: 1,
  charged_at: made + 1000,
  charge_mark: "",
  amount_differs: 1,
  consent_reference: "consent-1",
  sealed_record: "sealed-text",
  owner: null,
  audit_due: 0,
  created_at: made,
  started_at: made,
  completed_at: made + 1000,
};

for (const { name, fresh } of engines) {
  suite(`the ledger on ${name}`, () => {
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
      const notFound = { state: "not_found", charged: 0, charged_at: null, sealed_record: null } as const;
      const april = Date.UTC(2026, 3, 1);
      const rows: Partial<VerificationRow>[] = [
        {},
        { reference: "aaaaaa000000002", idempotency_hash: null },
        { reference: "aaaaaa000000003", idempotency_hash: null, ...notFound },
        { reference: "aaaaaa000000004", idempotency_hash: null, mode: "test" },
        { reference: "aaaaaa000000005", idempotency_hash: null, created_at: april, charged_at: april },
      ];
      for (const change of rows)
        await store.db
          .insertInto("verification")
          .values({ ...row, account_id: id, ...change })
          .execute();
      await store.close();
    });
    after(() => place.dispose());

    test("sums a period by account and mode, from its first day until before its last", async () => {
      const march = ["ledger", "summary", "--from", "2026-03-01", "--to", "2026-04-01"];
      const { exitCode, out } = await duba(...march, "--json");
      assert.equal(exitCode, 0);
      const none = { started: 0, not_found: 0, phone_mismatch: 0, refused: 0, failed: 0, unknown: 0 };
      assert.deepEqual(JSON.parse(out), {
        from: "2026-03-01T00:00:00.000Z",
        to: "2026-04-01T00:00:00.000Z",
        accounts: [
          {
            account: "shop@example.com",
            mode: "live",
            count: 3,
            charged: 2,
            fees: "161",
            by_state: { ...none, verified: 2, not_found: 1 },
          },
          {
            account: "shop@example.com",
            mode: "test",
            count: 1,
            charged: 1,
            fees: "80.5",
            by_state: { ...none, verified: 1 },
          },
        ],
      });
      const lines = (await duba(...march, "--mode", "test", "--account", "SHOP@example.com")).out.trim().split("\n");
      assert.equal(lines.length, 2);
      assert.match(lines[1]!, /^shop@example\.com +test +1 +1 +80\.5 /);
    });

    test("refuses what is no day and who is no account", async () => {
      assert.match((await duba("ledger", "summary", "--from", "March")).err, /^--from must be a day such as/);
      const nobody = await duba("ledger", "summary", "--account", "nobody@example.com");
      assert.deepEqual([nobody.exitCode, nobody.out], [1, ""]);
      assert.match(nobody.err, /^No account has/);
    });

    test("shows one verification, and nothing of the person", async () => {
      const { exitCode, out } = await duba("ledger", "show", row.reference, "--json");
      assert.equal(exitCode, 0);
      const { account_id, ...shown } = JSON.parse(out);
      assert.match(account_id, /^acc_/);
      assert.deepEqual(shown, {
        request_reference: row.reference,
        key_id: "key",
        mode: "live",
        state: "verified",
        upstream: "played",
        attempts: 2,
        attempts_unresolved: 1,
        bad_answers: 0,
        subject: "*******0017",
        amount: "100",
        amount_differs: true,
        quoted_fee: "80.5",
        charged: true,
        charged_at: "2026-03-15T12:00:01.000Z",
        consent_reference: "consent-1",
        key_kept: true,
        record_kept: true,
        created_at: "2026-03-15T12:00:00.000Z",
        started_at: "2026-03-15T12:00:00.000Z",
        completed_at: "2026-03-15T12:00:01.000Z",
      });
      assert.doesNotMatch(out, /hash-of|sealed-text/);
      assert.match((await duba("ledger", "show", row.reference)).out, /^state +verified$/m);
    });

    test("lists what is unknown, the oldest first, and nothing of the person", async () => {
      const none = await duba("ledger", "unknowns");
      assert.match(none.out, /^No verification has an unknown outcome/);
      const store = await openStore({ ...place.settings, serving: false });
      const unknown = {
        ...row,
        idempotency_hash: null,
        state: "unknown" as const,
        charged: 0 as const,
        charged_at: null,
      };
      const one = {
        ...unknown,
        reference: "bbbbbb000000001",
        account_id: "acc_gone",
        upstream: null,
        mode: "test" as const,
      };
      const { id } = await store.db
        .selectFrom("account")
        .select("id")
        .where("email", "=", "shop@example.com")
        .executeTakeFirstOrThrow();
      const other = { ...unknown, reference: "bbbbbb000000002", account_id: id, started_at: made - 1000 };
      await store.db.insertInto("verification").values([one, other]).execute();
      await store.close();
      const { exitCode, out } = await duba("ledger", "unknowns", "--json");
      assert.equal(exitCode, 0);
      assert.deepEqual(JSON.parse(out), [
        {
          request_reference: "bbbbbb000000002",
          account: "shop@example.com",
          mode: "live",
          upstream: "played",
          since: "2026-03-15T11:59:59.000Z",
          attempts: 2,
        },
        {
          request_reference: "bbbbbb000000001",
          account: "acc_gone",
          mode: "test",
          upstream: null,
          since: "2026-03-15T12:00:00.000Z",
          attempts: 2,
        },
      ]);
      assert.match((await duba("ledger", "unknowns")).out, /bbbbbb000000002 +shop@example\.com +live +played .* 2$/m);
    });

    test("says that a reference is not known, and repeats no number that may be a BVN", async () => {
      const unknown = await duba("ledger", "show", "aaaaaa");
      assert.deepEqual([unknown.exitCode, unknown.out], [1, ""]);
      assert.match(unknown.err, /^The ledger has no verification with the reference "aaaaaa"\.\n$/);
      assert.doesNotMatch((await duba("ledger", "show", "22000000017")).err, /2200/);
    });
  });
}
