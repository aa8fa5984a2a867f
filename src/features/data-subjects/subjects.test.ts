import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { suite, type TestContext, test } from "node:test";
import type { CheckInput } from "../../checks/check.ts";
import { personOf } from "../../checks/kinds.fixture.ts";
import type { AuditEvent } from "../../declare/audit-kind.ts";
import { KeyedHashes } from "../../keyring/keyed-hash.ts";
import type { Keyring } from "../../keyring/keyring.ts";
import { Ledger } from "../../ledger/ledger.ts";
import { ledgerTables } from "../../storage/tables/ledger-tables.ts";
import { negative, unavailable, unknown } from "../../vendors/ports/outcomes.ts";
import { engines, failureFrom, keyring, newRequest, suiteStore } from "../../verification/identity.fixture.ts";
import {
  copyRow,
  ledgerRows,
  onlyRow,
  replaceWrappedKey,
  rowOf,
  wrappedKeys,
} from "../../verification/ledger.fixture.ts";
import { answering, PlayedUpstream, verified } from "../../verification/played-upstream.fixture.ts";
import { subjectTrail } from "./subject-trail.ts";
import { eraseSubject, exportSubject } from "./subjects.ts";

const start = Date.UTC(2026, 0, 1);
const hour = 60 * 60_000;

/** From an hour after the start on, the hash key v2 is current. */
const rotated: Keyring = {
  ...keyring,
  hmac: [...keyring.hmac, { version: 2, key: randomBytes(32), from: start + hour }],
};

let people = 0;
/** A BVN that no other test uses. */
const newBvn = () => String(22_000_001_000 + people++);

for (const engine of engines) {
  suite(`a person on ${engine.name}`, () => {
    const store = suiteStore(engine);

    /** The store at a time that the test sets, the requests to the vendor, and the commands with their audit events. */
    const opened = async (t: TestContext, answer = verified) => {
      const clock = { now: start };
      const { upstream, received } = answering(answer);
      const held = { current: rotated };
      const room = await store.open(t, {
        keyring: held,
        upstreams: { test: upstream, live: [upstream] },
        now: () => clock.now,
      });
      const told: AuditEvent[] = [];
      const parts = {
        db: store.db,
        audit: async (_: unknown, ...events: AuditEvent[]) => void told.push(...events),
        actor: "operator:ada",
        keyedHashes: new KeyedHashes(held, () => clock.now),
        keyring: held,
      };
      return { clock, room, received, told, parts };
    };

    test("an erasure covers all accounts, both modes and all hash keys, but no other person", async (t) => {
      const { clock, room, told, parts } = await opened(t);
      const bvn = newBvn();
      const mine = newRequest({ number: bvn, consentReference: "consent-of-ada", idempotencyKey: "k-1" });
      const theirs = newRequest({ number: bvn });
      const another = newRequest({ accountId: mine.accountId, number: newBvn(), idempotencyKey: "k-9" });
      await room.verify(mine);
      await room.verify({ ...mine, idempotencyKey: "k-2" });
      await room.verify({ ...mine, mode: "live", idempotencyKey: "k-3" });
      await room.verify(another);
      clock.now += hour;
      await room.verify({ ...mine, mode: "live", idempotencyKey: "k-4" });
      await room.verify(theirs);
      const before = await ledgerRows(store.db, mine);
      assert.deepEqual(new Set(before.map((row) => row.subject_hash.slice(0, 3))), new Set(["v1:", "v2:"]));

      const { receipt, ...erasure } = await eraseSubject(parts, { kind: "bvn", number: bvn }, clock.now);
      assert.match(receipt, /^receipt-[\w-]{16}$/);
      const counted = (accountId: string, mode: string, verifications: number, records: number) => {
        return { accountId, mode, verifications, records };
      };
      const accounts = [
        counted(mine.accountId, "live", 2, 2),
        counted(mine.accountId, "test", 2, 2),
        counted(theirs.accountId, "test", 1, 0),
      ].toSorted((one, other) => (`${one.accountId} ${one.mode}` < `${other.accountId} ${other.mode}` ? -1 : 1));
      assert.deepEqual(erasure, { erasedAt: clock.now, accounts, isOffDisk: true });
      assert.deepEqual(told, [subjectTrail.erased("operator:ada", { receipt, records: 4, verifications: 5 })]);

      const erased = { subject_hash: "erased", subject_last4: "erased" };
      const hashes = { body_hash: null, lasting_idempotency_hash: null };
      const gone = { ...erased, ...hashes, consent_reference: null, sealed_record: null };
      const said = ledgerTables.verification.personal!.flatMap(({ columns, isErased }) => (isErased ? columns : []));
      assert.deepEqual(Object.keys(gone).sort(), [...new Set<string>(said)].sort(), "as the value of the table says");
      const isOther = ({ subject_hash }: { subject_hash: string }) =>
        parts.keyedHashes.matches(subject_hash, "subject", ["bvn", another.number]);
      const keys = await wrappedKeys(store.db);
      assert.deepEqual(
        before.filter(({ reference }) => keys.has(reference)),
        before.filter(isOther),
      );
      assert.deepEqual(
        await ledgerRows(store.db, mine),
        before.map((row) => (isOther(row) ? row : { ...row, ...gone })),
      );
      assert.equal((await room.verify(another)).replayed, true);
      assert.deepEqual((await eraseSubject(parts, { kind: "bvn", number: bvn })).accounts, []);
    });

    test("a retry after the erasure learns that the record is gone, without a vendor call or charge", async (t) => {
      const states = ["verified", "not_found", "unknown", "failed"] as const;
      const { room, received, parts } = await opened(t, async (attempt) => {
        const kind = states[Number(attempt.claims.phone!.slice(-1))]!;
        if (kind === "verified") return verified(attempt);
        if (kind === "not_found") return negative(kind);
        return kind === "unknown" ? unknown : unavailable("out_of_service");
      });
      const bvn = newBvn();
      const mine = newRequest({ number: bvn });
      const call = (n: number) => ({ ...mine, claims: { phone: `800000000${n}` }, idempotencyKey: `k-${n}` });
      for (const n of states.keys()) await room.verify(call(n)).catch(() => undefined);
      const before = await ledgerRows(store.db, mine);
      await eraseSubject(parts, { kind: "bvn", number: bvn });
      for (const n of states.keys()) {
        for (const repeated of [call(n), { ...call(n), bvn: newBvn() }]) {
          const { code, detail } = await failureFrom(room.verify(repeated));
          assert.equal(code, "record_no_longer_held");
          const { charged, request_reference } = detail.facts as Record<string, unknown>;
          const row = before.find(({ reference }) => reference === request_reference);
          assert.equal(charged, row?.charged === 1, "what was charged before stays so");
        }
      }
      assert.equal(received.length, states.length);
      const money = (rows: typeof before) => rows.map(({ reference, state, charged }) => [reference, state, charged]);
      assert.deepEqual(money(await ledgerRows(store.db, mine)), money(before));
      await room.verify({ ...call(0), idempotencyKey: "new" });
      assert.equal(received.length, states.length + 1);
    });

    test("a verification that runs during the erasure is answered and charged, and keeps nothing", async (t) => {
      const upstream = new PlayedUpstream();
      const { parts } = await opened(t);
      const room = await store.open(t, { keyring: parts.keyring, upstreams: { test: upstream, live: [] } });
      const mine = newRequest({ number: newBvn(), idempotencyKey: "k" });
      const call = room.verify(mine);
      await upstream.asked();
      const { accounts } = await eraseSubject(parts, mine);
      assert.deepEqual(accounts, [{ accountId: mine.accountId, mode: "test", verifications: 1, records: 0 }]);
      assert.equal((await failureFrom(room.verify(mine))).code, "request_in_progress");
      upstream.answer(await verified(mine));
      assert.equal(personOf((await call).record).bvn_number, mine.number);
      const { reference, state, charged, sealed_record } = await onlyRow(store.db, mine);
      assert.deepEqual([state, charged, sealed_record], ["verified", 1, null]);
      assert.equal((await wrappedKeys(store.db)).has(reference), false);
      assert.equal((await failureFrom(room.verify(mine))).code, "record_no_longer_held");
      assert.equal(upstream.received.length, 1);
    });

    test("an outcome that arrives after the erasure is stored without its record", async (t) => {
      const { room, parts } = await opened(t, async () => ({ state: "unknown", reason: "unclear" }));
      const mine = newRequest({ number: newBvn(), idempotencyKey: "k" });
      await failureFrom(room.verify(mine));
      await eraseSubject(parts, mine);
      const sealed = { sealed_record: "s1:r1:a", sealed_key: "s1:r1:b" };
      const row = await rowOf(store.db, mine);
      assert.ok(await new Ledger(store.db).resolve(row!, { state: "verified", attempt: null, at: start, sealed }));
      const learned = await onlyRow(store.db, mine);
      assert.deepEqual([learned.state, learned.sealed_record], ["verified", null]);
      assert.equal((await wrappedKeys(store.db)).has(learned.reference), false);
    });

    test("an erasure runs in batches, each with its audit entry or not at all", async (t) => {
      const { room, told, parts } = await opened(t);
      const mine = newRequest({ number: newBvn(), idempotencyKey: "k" });
      await room.verify(mine);
      await copyRow(store.db, await onlyRow(store.db, mine), 1000);
      let entries = 0;
      const failing = {
        ...parts,
        audit: async () => {
          entries += 1;
          if (entries === 2) throw new Error("played");
        },
      };
      const left = async () => (await ledgerRows(store.db, mine)).filter((row) => row.sealed_record !== null).length;
      await assert.rejects(eraseSubject(failing, mine), /played/);
      assert.equal(await left(), 501);
      const { receipt, accounts } = await eraseSubject(parts, mine);
      assert.equal(await left(), 0);
      assert.deepEqual(accounts, [{ accountId: mine.accountId, mode: "test", verifications: 501, records: 501 }]);
      assert.deepEqual(
        told.map(({ facts }) => facts),
        [500, 1].map((count) => ({ receipt, records: count, verifications: count })),
      );
    });

    test("an export has the facts of verifications, and each record for as long as the record is kept", async (t) => {
      const named = async (attempt: CheckInput) => ({ ...(await verified(attempt)), reference: "theirs-1" });
      const { clock, room, told, parts } = await opened(t, named);
      const mine = newRequest({ number: newBvn(), consentReference: "consent-of-ada" });
      const { record } = await room.verify({ ...mine, idempotencyKey: "k" });
      clock.now += hour;
      const { record: passing } = await room.verify({ ...mine, mode: "live" });
      const { record: broken } = await room.verify({ ...mine, idempotencyKey: "k-2" });
      const sealed_key = `s1:r1:${randomBytes(60).toString("base64url")}`;
      const { request_reference } = broken;
      await replaceWrappedKey(store.db, request_reference, sealed_key);

      const { receipt, ...held } = await exportSubject(parts, mine, clock.now);
      const common = {
        accountId: mine.accountId,
        kind: "bvn",
        state: "verified",
        upstream: "answering",
        consentReference: "consent-of-ada",
      };
      const timesOf = (at: number) => ({
        createdAt: at,
        completedAt: at,
        lookUps: [{ vendor: "answering", at, reference: "theirs-1" }],
      });
      const later = timesOf(start + hour);
      const expected = [
        { ...common, reference: record.request_reference, mode: "test", ...timesOf(start), record },
        { ...common, reference: passing.request_reference, mode: "live", ...later, record: null },
        { ...common, reference: request_reference, mode: "test", ...later, record: "unreadable" },
      ];
      const byReference = (one: { reference: string }, other: { reference: string }) =>
        one.reference < other.reference ? -1 : 1;
      assert.equal(held.exportedAt, clock.now);
      assert.deepEqual(held.verifications.toSorted(byReference), expected.toSorted(byReference));
      assert.deepEqual(Object.keys(held.verifications[0]!.record as object), Object.keys(record));
      assert.deepEqual(told, [subjectTrail.exported("operator:ada", { receipt, records: 2, verifications: 3 })]);
      await eraseSubject(parts, { ...mine, kind: "nin" });
      assert.equal(
        (await exportSubject(parts, mine)).verifications.length,
        3,
        "the same digits as a NIN are another person",
      );
      await eraseSubject(parts, mine);
      assert.deepEqual((await exportSubject(parts, mine)).verifications, []);
    });
  });
}
