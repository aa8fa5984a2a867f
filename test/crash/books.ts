import assert from "node:assert/strict";
import { type Kysely, sql } from "kysely";
import type { Attempt } from "../../src/identity/ledger/attempts.ts";
import { withAttempts } from "../../src/identity/ledger/attempts.ts";
import { type ToldState, toldState } from "../../src/identity/ledger/told-state.ts";
import { type CheckKind, forEachKind } from "../../src/operation/check-kind.ts";
import { isSqlite } from "../../src/storage/engine.ts";
import type { Tables, VerificationRow } from "../../src/storage/tables.ts";
import { until } from "../support/until.ts";
import type { VendorCall } from "../support/vendor.ts";
import type { Wanted } from "./clients.ts";

/** What the ledger, the vendor and the clients agree on. */
export interface Books {
  keys: number;
  /** Answers 200 that a client read whole, each of another key. */
  acknowledged: number;
  verified: number;
  negative: number;
  /** Verified numbers by kind. */
  verifiedOf: Record<CheckKind, number>;
  /** Sum of the fees charged, in kobo. */
  chargedKobo: number;
  attempts: number;
  vendorCalls: number;
  /** Attempts whose intent was written and whose call never reached the vendor whole. */
  unsent: number;
  mostCallsOfAKey: number;
}

type Row = VerificationRow & { attempts: Attempt[] };

/** The state of the ledger, as callers know it, that a response stands for. No key is given up: this vendor repeats its responses for free. */
const stateOf: Record<number, ToldState> = { 200: "verified", 404: "not_found", 422: "phone_mismatch" };

/**
 * Holds the ledger against what the clients were answered and what the vendor counted. Call it when every key has its end
 * and nothing runs any more.
 */
export async function checkBooks(
  db: Kysely<Tables>,
  fees: Readonly<Record<CheckKind, number>>,
  wanted: readonly Wanted[],
  calls: readonly VendorCall[],
): Promise<Books> {
  const live = await db.selectFrom("verification").selectAll().where("mode", "=", "live").execute();
  const rows: Row[] = await withAttempts(db, live);
  const rowOf = new Map(rows.map((row) => [row.reference, row]));
  assert.deepEqual(
    rows.map(({ reference }) => reference).toSorted(),
    wanted.map(({ reference }) => reference).toSorted(),
    "one row for each key",
  );
  const callsOf = Map.groupBy(calls, ({ reference }) => reference);
  for (const call of calls) assert.ok(rowOf.has(call.reference), `A call without a row: ${JSON.stringify(call)}`);
  for (const one of wanted)
    checkRow(rowOf.get(one.reference!)!, fees[one.kind], one, callsOf.get(one.reference!) ?? []);

  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
  const ended = (status: number) => wanted.filter(({ end }) => end?.status === status).length;
  const books = {
    keys: wanted.length,
    acknowledged: ended(200),
    verified: sum(({ state }) => (state === "verified" ? 1 : 0)),
    negative: ended(404) + ended(422),
    verifiedOf: forEachKind(
      (kind) => kind,
      (kind) => sum((row) => (row.kind === kind && row.state === "verified" ? 1 : 0)),
    ),
    chargedKobo: sum(({ charged, fee }) => charged * fee),
    attempts: sum(({ attempts }) => attempts.length),
    vendorCalls: calls.length,
    unsent: sum(({ reference, attempts }) => attempts.length - (callsOf.get(reference)?.length ?? 0)),
    mostCallsOfAKey: Math.max(...[...callsOf.values()].map((of) => of.length)),
  };
  assert.equal(books.verified, books.acknowledged);
  const owed = wanted.map(({ end, kind }) => (end?.status === 200 ? fees[kind] : 0));
  assert.equal(
    books.chargedKobo,
    owed.reduce((total, fee) => total + fee, 0),
  );
  return books;
}

function checkRow(row: Row, feeKobo: number, wanted: Wanted, calls: readonly VendorCall[]): void {
  const { state, attempts, charged, fee } = row;
  const { key, kind, number, end, lost, sent } = wanted;
  const told = `${key}: ${JSON.stringify({ state, attempts, charged, sent, lost, calls })}`;
  assert.equal(toldState(row), stateOf[end!.status], `${end!.status}, ${told}`);
  assert.deepEqual([row.kind, charged, fee], [kind, state === "verified" ? 1 : 0, feeKobo], told);
  assert.ok(
    calls.every((call) => call.kind === kind && call.number === number),
    told,
  );
  // An attempt that the vendor never saw belongs to a request whose client was told nothing.
  const unsent = attempts.length - calls.length;
  assert.ok(unsent >= 0 && unsent <= lost, told);
  assert.ok(attempts.length <= sent, told);
  // What the vendor never saw is known as unanswered: each other attempt is a call of its own.
  const unknown = attempts.filter(({ outcome }) => outcome === "unknown");
  assert.ok(unsent <= unknown.length, told);
  const response = attempts.findLast(({ outcome }) => outcome === state);
  assert.ok(response?.answered_at, told);
}

/** Whoever was told 504 is told the outcome by an event, once the journal is followed. */
export async function checkTold(db: Kysely<Tables>, wanted: readonly Wanted[]): Promise<void> {
  await until(
    async () => (await db.selectFrom("verification_journal").select("number").limit(1).execute()).length === 0,
  );
  const events = await db.selectFrom("event").select("about").where("type", "=", "verification.settled").execute();
  const told = new Set(events.map(({ about }) => about));
  for (const { key, reference, named } of wanted)
    if (named.some(({ status }) => status === 504))
      assert.ok(told.has(reference!), `${key} was told 504, and no event followed`);
}

/** Statements of the ledger take their locks in one order. */
export async function checkDeadlocks(db: Kysely<Tables>): Promise<void> {
  if (isSqlite(db)) return;
  const counted = sql<{ deadlocks: number }>`select deadlocks from pg_stat_database where datname = current_database()`;
  // It may be on its way back.
  const { rows } = await counted.execute(db).catch(() => ({ rows: [] }));
  assert.equal(rows[0]?.deadlocks ?? 0, 0, "deadlocks");
}
