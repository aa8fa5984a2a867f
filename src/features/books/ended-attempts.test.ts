import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { sql } from "kysely";
import { until } from "../../../test/support/until.ts";
import type { AuditEvent } from "../../declare/audit-kind.ts";
import { type Attempt, newAttempt } from "../../ledger/attempts.ts";
import { rebuildSums } from "../../ledger/journal/rebuild-sums.ts";
import { storeAttempts, storeRows, verifiedRow } from "../../ledger/ledger-rows.fixture.ts";
import { newReference } from "../../ledger/reference.ts";
import { attemptSums } from "../../ledger/reports/attempt-sums.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import { engines, suiteStore } from "../../verification/identity.fixture.ts";
import { parseInvoice } from "./invoice.ts";
import { decideUnknowns, settleUnknowns } from "./settle-unknowns.ts";

const zone = new TimeZone("Africa/Lagos");
const [from, to] = [zone.startOfMonth("2026-10"), zone.startOfMonth("2026-11")];
const prices = { bvn: 5_000, "bvn.not_found": 1_000 };
const [minute, hour] = [60_000, 3_600_000];

for (const engine of engines)
  suite(`attempts of ended verifications, as an invoice says, on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const roomWith = (audit: (event: AuditEvent) => unknown = () => {}) => ({
      db: store.db,
      actor: "person:ada",
      now: () => to + hour,
      progress: () => {},
      config: { vendorPrices: { dojah: prices } },
      audit: async (_: unknown, ...events: AuditEvent[]) => void (await Promise.all(events.map(audit))),
    });
    /** Resolves when another transaction waits for the open one. On SQLite, it waits for the connection. */
    const another = async () => {
      if (engine.name === "sqlite") return;
      const waiting = sql<{ count: number }>`select cast(count(*) as int) as count from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`;
      await until(async () => (await waiting.execute(store.db)).rows[0]!.count > 0);
    };
    const endsOf = (decisions: Awaited<ReturnType<typeof decideUnknowns>>) =>
      Object.fromEntries(decisions.map(({ row, end, as }) => [row.subject_last4, [end, as]]));
    const states = () =>
      store.db.selectFrom("verification").select(["reference", "state", "reason"]).orderBy("reference").execute();

    test("an invoice settles unknown attempts of ended verifications, and the books then equal it", async () => {
      const accountId = "acc_ended";
      const ended = (last4: string, at: number, state: "verified" | "not_found") => ({
        ...verifiedRow(accountId, at, { subject_last4: last4, state, reference: newReference(at) }),
        run: 2,
        kind: "bvn",
      });
      const rows = [
        ended("0031", from + hour, "verified"),
        ended("0032", from + 2 * hour, "verified"),
        ended("0033", from + 3 * hour, "not_found"),
        ended("0034", from - minute, "verified"),
      ];
      await storeRows(store.db, ...rows);
      const asked = (row: (typeof rows)[number], number: number, vendor: string, changes: Partial<Attempt>) => ({
        ...newAttempt({ ...row, run: number }, { vendor, at: row.started_at, requestId: "r", price: prices.bvn }),
        ...changes,
      });
      const answered = { outcome: "verified", answered_at: from + 4 * hour } as const;
      const attempts = rows.flatMap((row) => [asked(row, 1, "dojah", {}), asked(row, 2, "other", answered)]);
      await storeAttempts(store.db, ...attempts);
      const invoice = `reference,amount\n${rows[1]!.reference},50\n${rows[2]!.reference},10`;
      const given = { vendor: "dojah", lines: parseInvoice(invoice, zone).lines, whole: { from, to }, prices };
      const decided = await decideUnknowns(roomWith(), given);
      assert.deepEqual(endsOf(decided), {
        "0031": ["attempt_released", "failed"],
        "0032": ["attempt_billed", "failed"],
        "0033": ["attempt_billed", "failed"],
        "0034": ["not_covered", null],
      });
      const before = await states();
      const events: AuditEvent[] = [];
      let other: Promise<unknown> | undefined;
      const room = roomWith(async (event) => {
        events.push(event);
        // Two concurrent operators settle each attempt only once.
        if (!other) {
          other = settleUnknowns(room, decided, "Invoice 4411");
          await another();
        }
      });
      await settleUnknowns(room, decided, "Invoice 4411");
      await other;
      assert.deepEqual(
        events
          .filter(({ facts }) => facts.attempt === 1)
          .map(({ kind, facts }) => [kind, facts.reference, facts.reason]),
        [
          ["attempt.settled", rows[0]!.reference, "Invoice 4411 (not on the invoice)"],
          ["attempt.settled", rows[1]!.reference, "Invoice 4411 (line 2)"],
          ["attempt.settled", rows[2]!.reference, "Invoice 4411 (line 3)"],
        ],
      );
      // The states of the verifications do not change.
      assert.deepEqual(await states(), before);
      // The test inserted rows directly, so the sums have to be rebuilt.
      const nobody = { audit: async () => {}, actor: "test", now: Date.now, progress: () => {} };
      await rebuildSums({ db: store.db, ...nobody }, zone);
      const sums = await attemptSums(store.db, { from, to, accountId }, { by: "vendor", zone });
      const dojah = sums.find(({ group }) => group === "dojah")!;
      assert.deepEqual([dojah.costKobo, dojah.unsureKobo], [6_000, 0]);
      assert.deepEqual(
        (await decideUnknowns(roomWith(), given)).map(({ end }) => end),
        ["not_covered"],
      );
    });
  });
