import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { attemptRow, storeAttempts, storeRows, verifiedRow } from "../../ledger/ledger-rows.fixture.ts";
import { engines, newRequest, suiteStore } from "../../verification/identity.fixture.ts";
import { cursorOf, type LedgerFilter, type LedgerPlace, listVerifications, readCursor } from "./list-verifications.ts";

const start = Date.UTC(2026, 10, 1);

for (const engine of engines) {
  suite(`the list of verifications on ${engine.name}`, () => {
    const store = suiteStore(engine);

    async function found(filter: LedgerFilter, size = 1_000): Promise<string[]> {
      const { rows, next } = await listVerifications(store.db, filter, { size });
      assert.equal(next, null);
      return rows.map(({ reference }) => reference);
    }

    test("each filter of the list of verifications works alone and with other filters, newest first", async () => {
      const { accountId } = newRequest();
      const other = newRequest().accountId;
      const [plain, test, failed, nin, digits, consented, keyed, earlier] = await storeRows(
        store.db,
        verifiedRow(accountId, start + 1),
        verifiedRow(accountId, start + 2, { mode: "test" }),
        verifiedRow(accountId, start + 3, { state: "failed" }),
        verifiedRow(accountId, start + 4, { kind: "nin" }),
        verifiedRow(accountId, start + 6, { subject_last4: "4321" }),
        verifiedRow(accountId, start + 7, { consent_reference: "consent-9" }),
        verifiedRow(accountId, start + 8, { idempotency_hash: "v1:known", lasting_idempotency_hash: "v1:known" }),
        verifiedRow(accountId, start, { lasting_idempotency_hash: "v1:known" }),
        verifiedRow(other, start + 9, { subject_last4: "4321", state: "failed", consent_reference: "consent-9" }),
      );
      const all = [keyed, consented, digits, nin, failed, test, plain, earlier].map((row) => row!.reference);
      assert.deepEqual(await found({ accountId }), all);
      const expected: [LedgerFilter, (typeof plain)[]][] = [
        [{ mode: "test" }, [test]],
        [{ state: "failed" }, [failed]],
        [{ state: "failed", mode: "test" }, []],
        [{ kind: "nin" }, [nin]],
        [{ kind: "nin", state: "verified" }, [nin]],
        [{ last4: "4321" }, [digits]],
        [{ last4: "4321", state: "failed" }, []],
        [{ consent: "consent-9" }, [consented]],
        [{ idempotencyHashes: ["v1:unknown", "v1:known"] }, [keyed, earlier]],
        [{ idempotencyHashes: ["v1:known"], reference: earlier!.reference }, [earlier]],
        [{ idempotencyHashes: [] }, []],
        [{ from: start + 7 }, [keyed, consented]],
        [{ to: start + 3 }, [test, plain, earlier]],
        [{ from: start + 2, to: start + 4, mode: "live" }, [failed]],
      ];
      for (const [filter, rows] of expected)
        assert.deepEqual(
          await found({ accountId, ...filter }),
          rows.map((row) => row!.reference),
          JSON.stringify(filter),
        );
      assert.equal((await found({ last4: "4321" })).length, 2);
      // Each client has a hash under each key of the ring, more than one statement takes as parameters.
      const hashes = Array.from({ length: 70_000 }, (_, at) => `v1:nobody${at}`);
      const idempotencyHashes = [...hashes, "v1:known"];
      assert.deepEqual(await found({ accountId, idempotencyHashes }), [keyed!.reference, earlier!.reference]);
      assert.equal((await found({ consent: "consent-9", state: "failed" })).length, 1);
    });

    test("verifications are found by vendor and request, and a refused one by its request", async () => {
      const { accountId } = newRequest();
      const [asked, refused, notAsked] = await storeRows(
        store.db,
        verifiedRow(accountId, start, { request_id: `${accountId}-1` }),
        verifiedRow(accountId, start + 1, { request_id: `${accountId}-2`, state: "refused" }),
        verifiedRow(accountId, start + 2),
      );
      await storeAttempts(
        store.db,
        attemptRow(asked!),
        attemptRow(asked!, { number: 2, vendor: "peer", request_id: `${accountId}-retry` }),
        attemptRow(notAsked!),
      );
      assert.deepEqual(await found({ requestId: `${accountId}-1` }), [asked!.reference]);
      assert.deepEqual(await found({ requestId: `${accountId}-retry` }), [asked!.reference]);
      assert.deepEqual(await found({ requestId: `${accountId}-2` }), [refused!.reference]);
      assert.deepEqual(await found({ requestId: `${accountId}-3` }), []);
      assert.deepEqual(await found({ accountId, vendor: "peer" }), [asked!.reference]);
      assert.deepEqual(await found({ accountId, vendor: "dojah" }), [notAsked!.reference, asked!.reference]);
    });

    test("pages of verifications contain every row once, even rows of one millisecond", async () => {
      const { accountId } = newRequest();
      const rows = Array.from({ length: 23 }, (_, nth) =>
        verifiedRow(accountId, start + Math.floor(nth / 5), { mode: nth % 2 ? "test" : "live" }),
      );
      await storeRows(store.db, ...rows);
      for (const filter of [{ accountId }, { accountId, kind: "bvn" }] as const) {
        const seen: string[] = [];
        let after: LedgerPlace | undefined;
        do {
          const page = await listVerifications(store.db, filter, { after, size: 4 });
          assert.ok(page.rows.length <= 4 && !page.isPartial);
          seen.push(...page.rows.map(({ reference }) => reference));
          after = page.next ? readCursor(cursorOf(page.next)) : undefined;
        } while (after);
        const newestFirst = rows.toSorted(
          (one, other) => other.created_at - one.created_at || (one.reference < other.reference ? 1 : -1),
        );
        assert.deepEqual(
          seen,
          newestFirst.map(({ reference }) => reference),
        );
      }
    });

    test("a search for something rare stops at its limit and says where to go on", async () => {
      const { accountId } = newRequest();
      const [oldest] = await storeRows(store.db, verifiedRow(accountId, start, { kind: "nin" }));
      const [most, many] = [1_000, 1_100];
      const common = Array.from({ length: many }, (_, nth) => verifiedRow(accountId, start + 1 + nth));
      await storeRows(store.db, ...common);
      const search = { accountId, kind: "nin" } as const;
      const first = await listVerifications(store.db, search, { size: 10, most });
      assert.deepEqual([first.rows, first.isPartial, first.next?.created_at], [[], true, start + many - most + 1]);
      const second = await listVerifications(store.db, search, { after: first.next!, size: 10, most });
      assert.deepEqual(
        [second.rows.map(({ reference }) => reference), second.isPartial, second.next],
        [[oldest!.reference], false, null],
      );
    });
  });
}

test("a cursor of another form is refused", () => {
  for (const text of ["", "x", "1.", "1.a b", "1.a' or 1=1", "zzzzzzzzzz.a"]) assert.equal(readCursor(text), undefined);
});
