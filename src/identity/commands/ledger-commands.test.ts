import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { engines, type Fresh } from "../../../test/support/engines.ts";
import { append } from "../../audit/append.ts";
import { makeStore, type Ran, ran } from "../../cli/testing.ts";
import { openKeyring } from "../../keyring/file.ts";
import { KeyedHashes } from "../../keyring/keyed-hash.ts";
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
  run: 3,
  amount: 10_000,
  fee: 8_050,
  charged: 1,
  charged_at: made + 1000,
  charge_mark: "",
  amount_differs: 1,
  consent_reference: "consent-1",
  request_id: "request-1",
  spends: null,
  sealed_record: "sealed-text",
  owner: null,
  audit_due: 0,
  created_at: made,
  started_at: made,
  completed_at: made + 1000,
};

/** Two questions of the verification. Its second run asked nobody. */
function attemptsOf(reference: string, account_id: string) {
  const common = { reference, account_id, mode: "live", kind: "bvn", vendor: "peer", asked_at: made };
  const unheard = { answered_at: null, vendor_reference: null, price: null };
  return [
    { ...common, ...unheard, number: 1, outcome: "unknown", reason: "timed_out", request_id: "request-1" },
    {
      ...common,
      number: 3,
      answered_at: made + 1000,
      outcome: "verified",
      reason: null,
      vendor_reference: "theirs-1",
      price: 8_000,
      request_id: "request-2",
    },
  ];
}

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
      await store.db.insertInto("verification_attempt").values(attemptsOf(row.reference, id)).execute();
      await store.close();
    });
    after(() => place.dispose());

    test("sums a period by account and mode, from its first day until before its last", async () => {
      const march = ["ledger", "summary", "--from", "2026-03-01", "--to", "2026-04-01"];
      const { exitCode, out } = await duba(...march, "--json");
      assert.equal(exitCode, 0);
      const none = { started: 0, not_found: 0, phone_mismatch: 0, refused: 0, failed: 0, unknown: 0 };
      assert.deepEqual(JSON.parse(out), {
        from: "2026-02-28T23:00:00.000Z",
        to: "2026-03-31T23:00:00.000Z",
        time_zone: "Africa/Lagos",
        by: "account",
        groups: [
          {
            group: "shop@example.com",
            mode: "live",
            kind: "bvn",
            count: 3,
            charged: 2,
            fees: "161",
            by_state: { ...none, verified: 2, not_found: 1 },
          },
          {
            group: "shop@example.com",
            mode: "test",
            kind: "bvn",
            count: 1,
            charged: 1,
            fees: "80.5",
            by_state: { ...none, verified: 1 },
          },
        ],
      });
      const lines = (await duba(...march, "--mode", "test", "--account", "SHOP@example.com")).out.trim().split("\n");
      assert.equal(lines.length, 2);
      assert.match(lines[1]!, /^shop@example\.com +test +bvn +1 +1 +80\.5 /);
    });

    test("lists what fits, page by page, and nothing of the person", async () => {
      const list = async (...options: string[]) => {
        const { exitCode, out } = await duba("ledger", "list", "--json", ...options);
        assert.equal(exitCode, 0);
        assert.doesNotMatch(out, /hash-of|sealed-text/);
        const { verifications, next } = JSON.parse(out);
        return {
          next,
          found: verifications.map((each: { request_reference: string }) => each.request_reference.at(-1)),
        };
      };
      assert.deepEqual((await list()).found, ["5", "4", "3", "2", "1"]);
      assert.deepEqual((await list("--account", "shop@example.com", "--mode", "test")).found, ["4"]);
      assert.deepEqual((await list("--state", "not_found", "--last4", "0017")).found, ["3"]);
      assert.deepEqual((await list("--from", "2026-04-01")).found, ["5"]);
      assert.deepEqual((await list("--consent", "consent-1", "--to", "2026-03-15")).found, []);
      assert.deepEqual((await list("--request-id", "request-2")).found, ["1"]);
      assert.deepEqual((await list("--request-id", "request-9")).found, []);
      assert.deepEqual((await list("--vendor", "peer")).found, ["1"]);
      assert.deepEqual((await list("--vendor", "dojah", "--account", "shop@example.com")).found, []);
      const asked = JSON.parse(
        (await duba("ledger", "summary", "--by", "vendor", "--from", "2026-03-01", "--json")).out,
      );
      assert.deepEqual(
        asked.groups.map(
          ({ group, count, by_state }: { group: string; count: number; by_state: Record<string, number> }) => [
            group,
            count,
            by_state.verified,
            by_state.unknown,
          ],
        ),
        [["peer", 2, 1, 1]],
      );
      const first = await list("--limit", "2");
      const second = await list("--limit", "3", "--cursor", first.next);
      assert.deepEqual([first.found, second.found, second.next], [["5", "4"], ["3", "2", "1"], null]);
      const shown = await duba("ledger", "list", "--limit", "1");
      assert.match(shown.out, /aaaaaa000000005 +shop@example\.com +live +bvn +verified +- +\*{7}0017 +80\.5$/m);
      assert.match(shown.err, /There may be more: add --cursor \S+\n$/);
      assert.equal((await duba("ledger", "list", "--csv", "--limit", "2")).out.trim().split("\n").length, 3);
    });

    test("finds a verification by its idempotency key, also one from before the key ring was rotated", async () => {
      const path = `${place.settings.dataDirectory}.keyring`;
      const store = await openStore({ ...place.settings, serving: false });
      const { keyring } = await openKeyring(path, store.db);
      const { id } = await store.db.selectFrom("account").select("id").executeTakeFirstOrThrow();
      const hash = new KeyedHashes({ current: keyring }).of("idempotency key", [id, "live", "order-1"]);
      await store.db
        .updateTable("verification")
        .set({ idempotency_hash: hash })
        .where("reference", "=", "aaaaaa000000003")
        .execute();
      await store.close();
      assert.equal((await duba("keyring", "rotate")).exitCode, 0);
      for (const options of [[], ["--account", "shop@example.com"]])
        assert.match((await duba("ledger", "list", "--idempotency-key", "order-1", ...options)).out, /aaaaaa000000003/);
      assert.match((await duba("ledger", "list", "--idempotency-key", "order-2")).out, /^No verification fits\.$/m);
      rmSync(path);
    });

    test("a wrong value is refused with what would be right", async () => {
      const refusals: [string[], RegExp][] = [
        [["list", "--last4", "17"], /^--last4 must be four digits/],
        [["list", "--limit", "5000"], /^--limit must be a number from 1 to 1000/],
        [["list", "--cursor", "x"], /^--cursor must be the cursor of an earlier page/],
        [["list", "--from", "2026-03-02", "--to", "2026-03-01"], /^The period ends before it begins/],
        [["summary", "--from", "2026-03-02", "--to", "2026-03-02"], /^The period ends before it begins/],
        [["summary", "--by", "colour"], /^--by must be one of account, day/],
        [["summary", "--from", "2999-01-01"], /^The period ends before it begins/],
      ];
      for (const [argv, expected] of refusals) {
        const { exitCode, err } = await duba("ledger", ...argv);
        assert.equal(exitCode, 2, argv.join(" "));
        assert.match(err, expected);
      }
    });

    test("refuses what is no day and who is no account", async () => {
      assert.match((await duba("ledger", "summary", "--from", "March")).err, /^--from must be a day such as/);
      const nobody = await duba("ledger", "summary", "--account", "nobody@example.com");
      assert.deepEqual([nobody.exitCode, nobody.out], [1, ""]);
      assert.match(nobody.err, /^No account has/);
    });

    test("shows one verification, and nothing of the person", async () => {
      const store = await openStore({ ...place.settings, serving: false });
      const facts = { reference: row.reference, state: "verified" };
      await append(store.db, { kind: "verification.ended", actor: "key:key", facts });
      const taken = { id: "adjustment-1", account_id: "acc", mode: "live", kind: "bvn", charges: -1, kobo: -8_050 };
      const adjustment = { ...taken, reference: row.reference, at: made + 86_400_000, reason: "Charged twice" };
      await store.db.insertInto("adjustment").values(adjustment).execute();
      await store.close();
      const { exitCode, out } = await duba("ledger", "show", row.reference, "--json");
      assert.equal(exitCode, 0);
      const { account_id, ...shown } = JSON.parse(out);
      const { audit_entries } = shown;
      assert.match(account_id, /^acc_/);
      assert.deepEqual(shown, {
        request_reference: row.reference,
        key_id: "key",
        mode: "live",
        kind: "bvn",
        state: "verified",
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
        request_id: "request-1",
        attempts: [
          {
            number: 1,
            vendor: "peer",
            asked_at: "2026-03-15T12:00:00.000Z",
            answered_at: null,
            outcome: "unknown",
            reason: "timed_out",
            vendor_reference: null,
            price: null,
            request_id: "request-1",
          },
          {
            number: 3,
            vendor: "peer",
            asked_at: "2026-03-15T12:00:00.000Z",
            answered_at: "2026-03-15T12:00:01.000Z",
            outcome: "verified",
            reason: null,
            vendor_reference: "theirs-1",
            price: "80",
            request_id: "request-2",
          },
        ],
        adjustments: [{ id: "adjustment-1", at: "2026-03-16T12:00:00.000Z", fees: "-80.5", reason: "Charged twice" }],
        audit_entries: [
          {
            occurred_at: audit_entries[0].occurred_at,
            kind: "verification.ended",
            actor: "key:key",
            facts: `{"reference":"${row.reference}","state":"verified"}`,
          },
        ],
      });
      assert.doesNotMatch(out, /hash-of|sealed-text/);
      const text = (await duba("ledger", "show", row.reference)).out;
      assert.match(text, /^state +verified$/m);
      assert.match(text, /^ +1 +peer .* unknown +timed_out +- +- +request-1$/m);
      const other = (await duba("ledger", "show", "aaaaaa000000002")).out;
      assert.match(other, /^No vendor was asked\.$/m);
      assert.match(other, /^The audit trail does not mention it yet\.$/m);
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
        mode: "test" as const,
      };
      const { id } = await store.db
        .selectFrom("account")
        .select("id")
        .where("email", "=", "shop@example.com")
        .executeTakeFirstOrThrow();
      const other = { ...unknown, reference: "bbbbbb000000002", account_id: id, started_at: made - 1000 };
      await store.db.insertInto("verification").values([one, other]).execute();
      await store.db.insertInto("verification_attempt").values(attemptsOf(other.reference, id)).execute();
      await store.close();
      const { exitCode, out } = await duba("ledger", "unknowns", "--json");
      assert.equal(exitCode, 0);
      assert.deepEqual(JSON.parse(out), [
        {
          request_reference: "bbbbbb000000002",
          account: "shop@example.com",
          mode: "live",
          upstream: "peer",
          since: "2026-03-15T11:59:59.000Z",
          attempts: 2,
        },
        {
          request_reference: "bbbbbb000000001",
          account: "acc_gone",
          mode: "test",
          upstream: null,
          since: "2026-03-15T12:00:00.000Z",
          attempts: 0,
        },
      ]);
      assert.match((await duba("ledger", "unknowns")).out, /bbbbbb000000002 +shop@example\.com +live +peer .* 2$/m);
    });

    test("says that a reference is not known, and repeats no number that may be a BVN", async () => {
      const unknown = await duba("ledger", "show", "aaaaaa");
      assert.deepEqual([unknown.exitCode, unknown.out], [1, ""]);
      assert.match(unknown.err, /^The ledger has no verification with the reference "aaaaaa"\.\n$/);
      assert.doesNotMatch((await duba("ledger", "show", "22000000017")).err, /2200/);
    });
  });
}
