import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import { append } from "../../audit/append.ts";
import { ledgerTrail } from "../../ledger/ledger-trail.ts";
import { openStore } from "../../storage/store.ts";
import { made, row, suiteLedger } from "./ledger-commands.fixture.ts";

for (const engine of usualEngines) {
  suite(`the ledger on ${engine.name}`, () => {
    const place = suiteLedger(engine);
    const { duba } = place;

    test("ledger summary adds up a period by account and mode, including its first and last day", async () => {
      const march = ["ledger", "summary", "--from", "2026-03-01", "--to", "2026-03-31"];
      const { exitCode, out } = await duba(...march, "--json");
      assert.equal(exitCode, 0);
      const none = { started: 0, not_found: 0, phone_mismatch: 0, blocked: 0, refused: 0, failed: 0, unknown: 0 };
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
      assert.match(lines[1]!, /^shop@example\.com +test +bvn +1 +1 +₦80\.50 /);
    });

    test("ledger summary refuses a period that ends before it begins", async () => {
      const refusals: [string[], RegExp][] = [
        [["list", "--from", "2026-03-03", "--to", "2026-03-01"], /^The period ends before it begins/],
        [["summary", "--from", "2026-03-02", "--to", "2026-03-01"], /^The period ends before it begins/],
        [["summary", "--from", "2999-01-01"], /^The period ends before it begins/],
      ];
      for (const [argv, expected] of refusals) {
        const { exitCode, err } = await duba("ledger", ...argv);
        assert.equal(exitCode, 2, argv.join(" "));
        assert.match(err, expected);
      }
    });

    test("ledger summary refuses an unknown account", async () => {
      const nobody = await duba("ledger", "summary", "--account", "nobody@example.com");
      assert.deepEqual([nobody.exitCode, nobody.out], [1, ""]);
      assert.match(nobody.err, /^No account has/);
    });

    test("ledger show says when a record expires or expired, and gives no time after an erasure", async () => {
      const store = await openStore({ ...place.settings, serving: false });
      const verifications = store.db.updateTable("verification").where("reference", "=", row.reference);
      const now = Date.now();
      const recent = { created_at: now, completed_at: now + 1000 };
      const tells = async (changes: Partial<typeof row>) => {
        await verifications.set(changes).execute();
        const { record_kept, record_kept_until } = JSON.parse(
          (await duba("ledger", "show", row.reference, "--json")).out,
        );
        return [record_kept, record_kept_until];
      };
      assert.deepEqual(await tells(recent), [true, new Date(now + 86_400_000).toISOString()]);
      assert.deepEqual(await tells({ sealed_record: null }), [false, null]);
      const { created_at, completed_at, sealed_record } = row;
      assert.deepEqual(await tells({ created_at, completed_at }), [false, "2026-03-16T12:00:00.000Z"]);
      await verifications.set({ sealed_record }).execute();
      await store.close();
    });

    test("ledger show prints one verification without personal data", async () => {
      const store = await openStore({ ...place.settings, serving: false });
      const facts = { reference: row.reference, state: "verified" };
      await append(store.db, ledgerTrail.verificationEnded("key:key", facts));
      const taken = { id: "adjustment-1", account_id: "acc", mode: "live", kind: "bvn", charges: -1, kobo: -8_050 };
      const adjustment = { ...taken, reference: row.reference, at: made + 86_400_000, reason: "Charged twice" };
      await store.db.insertInto("adjustment").values(adjustment).execute();
      await store.close();
      const { exitCode, out } = await duba("ledger", "show", row.reference, "--json");
      assert.equal(exitCode, 0);
      const { account, account_id, time_line, ...shown } = JSON.parse(out);
      const { audit_entries } = shown;
      assert.match(account_id, /^acc_/);
      assert.match(account, /@/);
      assert.deepEqual(
        time_line.map(({ at, what, by }: Record<string, string>) => `${at!.slice(8, 19)} ${what}${by && ` (${by})`}`),
        [
          "15T12:00:00 asked, request request-1 (key key)",
          "15T12:00:00 attempt 1: unknown, server error, HTTP 502 (peer)",
          "15T12:00:00 attempt 3 (peer)",
          "15T12:00:01 verified, HTTP 200 after 1000 ms, for ₦80.00 (peer)",
          "15T12:00:01 ended: verified",
          "15T12:00:01 charged ₦80.50",
          "16T12:00:00 gave back ₦80.50: Charged twice",
        ],
      );
      const unexplained = { billed: null, policy: "listed", passed_over: [], compared: [] };
      assert.deepEqual(shown, {
        request_reference: row.reference,
        explanation:
          "Charged ₦80.50. peer was asked, the first in the order, and its outcome is not known: " +
          "it had an error. Then peer was asked, and gave the record.",
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
        charge_left: "0",
        cost: "80",
        margin: "-80",
        consent_reference: "consent-1",
        key_kept: true,
        key_kept_until: "2026-03-16T12:00:00.000Z",
        record_kept: true,
        record_kept_until: "2026-03-16T12:00:00.000Z",
        created_at: "2026-03-15T12:00:00.000Z",
        started_at: "2026-03-15T12:00:00.000Z",
        completed_at: "2026-03-15T12:00:01.000Z",
        request_id: "request-1",
        attempts: [
          {
            number: 1,
            vendor: "peer",
            started_at: "2026-03-15T12:00:00.000Z",
            answered_at: null,
            outcome: "unknown",
            reason: "server_error",
            vendor_reference: null,
            http_status: 502,
            bill: null,
            ...unexplained,
            request_id: "request-1",
          },
          {
            number: 3,
            vendor: "peer",
            started_at: "2026-03-15T12:00:00.000Z",
            answered_at: "2026-03-15T12:00:01.000Z",
            outcome: "verified",
            reason: null,
            vendor_reference: "theirs-1",
            http_status: 200,
            bill: "80",
            ...unexplained,
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
      assert.match(text, /^Charged ₦80\.50\. peer was asked, the first in the order, .* gave the record\.$/m);
      assert.match(text, /^state +verified$/m);
      assert.match(text, /^ +1 +peer .* unknown +server_error +- +502 +- +request-1 +- +listed +nobody +nothing$/m);
      const other = (await duba("ledger", "show", "aaaaaa000000002")).out;
      assert.match(other, /^No vendor was asked\.$/m);
      assert.match(other, /^The audit trail does not mention it yet\.$/m);
    });

    test("ledger show says that a reference is not known, and repeats no number that may be a BVN", async () => {
      const unknown = await duba("ledger", "show", "aaaaaa");
      assert.deepEqual([unknown.exitCode, unknown.out], [1, ""]);
      assert.match(unknown.err, /^The ledger has no verification with the reference "aaaaaa"\.\n$/);
      assert.doesNotMatch((await duba("ledger", "show", "22000000017")).err, /2200/);
    });
  });
}
