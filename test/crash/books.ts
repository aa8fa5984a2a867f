import assert from "node:assert/strict";
import { type Kysely, sql } from "kysely";
import { type CheckKind, forEachKind } from "../../src/declare/check-kind.ts";
import type { Attempt } from "../../src/ledger/attempts.ts";
import { withAttempts } from "../../src/ledger/attempts.ts";
import { comparedSums } from "../../src/ledger/journal/recounted-sums.ts";
import { publicState } from "../../src/ledger/public-state.ts";
import { TimeZone } from "../../src/runtime/time-zone.ts";
import { inSnapshot } from "../../src/storage/audited.ts";
import { isSqlite } from "../../src/storage/engine.ts";
import type { Tables, VerificationRow } from "../../src/storage/tables.ts";
import { until } from "../support/until.ts";
import { isGivenUp, traceOf, type Wanted } from "./clients.ts";
import type { TrialCall, TrialVendor } from "./vendors.ts";

/** The figures on which the ledger, the vendor and the clients agree. */
export interface Books {
  keys: number;
  /** Answers with 200 that a client read completely, one per key. */
  acknowledged: number;
  verified: number;
  negative: number;
  /** Verified numbers by kind. */
  verifiedOf: Record<CheckKind, number>;
  /** Sum of the fees charged, in kobo. */
  chargedKobo: number;
  attempts: number;
  vendorCalls: number;
  /** Attempts whose intent was written but whose call never reached the vendor completely. */
  unsent: number;
  /** Keys that used up their attempts without a known outcome. */
  givenUp: number;
  mostCallsOfAKey: number;
}

type Row = VerificationRow & { attempts: Attempt[] };

/** The largest number of useless attempts of a key at a vendor that bills each attempt. */
const mostUseless = 3;

/**
 * Compares the ledger with the responses of the clients and the calls of the vendor. Call this function when every key
 * has ended and no verification runs.
 */
export async function checkBooks(
  db: Kysely<Tables>,
  fees: Readonly<Record<CheckKind, number>>,
  wanted: readonly Wanted[],
  calls: readonly TrialCall[],
  { isRepeatable }: Pick<TrialVendor, "isRepeatable">,
): Promise<Books> {
  const live = await db.selectFrom("verification").selectAll().where("mode", "=", "live").execute();
  const rows: Row[] = await withAttempts(db, live);
  const rowOf = new Map(rows.map((row) => [row.reference, row]));
  assert.deepEqual(
    rows.map(({ reference }) => reference).toSorted(),
    wanted.map(({ reference }) => reference).toSorted(),
    "one row for each key",
  );
  const ofNumber = new Map(wanted.map(({ number, reference }) => [number, reference!]));
  const callsOf = Map.groupBy(calls, ({ number, reference = ofNumber.get(number)! }) => reference);
  for (const [reference, of] of callsOf) assert.ok(rowOf.has(reference), `A call without a row: ${JSON.stringify(of)}`);
  for (const one of wanted) {
    const row = rowOf.get(one.reference!)!;
    checkRow(row, fees[one.kind], one, callsOf.get(one.reference!) ?? []);
    if (isRepeatable) assert.ok(!isGivenUp(one), one.key);
    else {
      const useless = row.attempts.filter(isUseless).length;
      assert.ok(isGivenUp(one) ? useless === mostUseless : useless <= mostUseless, one.key);
    }
  }

  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
  const ended = (status: number) => wanted.filter(({ end }) => end?.status === status).length;
  const books = {
    keys: wanted.length,
    acknowledged: ended(200),
    verified: sum(({ state }) => (state === "verified" ? 1 : 0)),
    negative: ended(404) + ended(422),
    givenUp: wanted.filter(isGivenUp).length,
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

const isUseless = ({ outcome, reason }: Attempt) => outcome === "unknown" || reason === "bad_response";

/** An attempt that the vendor never received stays on the ledger if a caller got a response about that attempt. */
const isNotSent = ({ outcome, reason, billed }: Attempt) =>
  outcome === "failed" && reason !== "bad_response" && billed === "no";

function checkRow(row: Row, feeKobo: number, wanted: Wanted, calls: readonly TrialCall[]): void {
  const { state, attempts, charged, fee } = row;
  const { key, kind, number, end, named, sent } = wanted;
  const told = `${key}: ${JSON.stringify({ ...wanted, end: end?.text, state, attempts, charged, calls })}`;
  const ends = end!.status === 200 ? "verified" : end!.json.error.code.replace(`${kind}_`, "");
  if (isGivenUp(wanted)) assert.match(state, /^(unknown|failed)$/, told);
  else assert.equal(publicState(row), ends, told);
  assert.deepEqual([row.kind, charged, fee], [kind, state === "verified" ? 1 : 0, feeKobo], told);
  assert.ok(
    calls.every((call) => call.kind === kind && call.number === number),
    told,
  );
  // Each call has its own attempt, which the ledger must not call "not sent".
  const attemptOf = new Map(attempts.map((attempt) => [traceOf(attempt.request_id), attempt]));
  const traces = new Set(calls.map(({ trace }) => trace));
  assert.equal(traces.size, calls.length, told);
  for (const { trace = "", saysNoWork } of calls) {
    const attempt = attemptOf.get(trace);
    assert.ok(attempt && (saysNoWork || !isNotSent(attempt)), told);
  }
  // The vendor never received the remaining attempts, so each must be unanswered or not sent. Their clients got no
  // response, or one that says that no vendor was asked. Such a response can precede the store's write, and a kill then
  // leaves the attempt open.
  for (const attempt of attempts.filter(({ request_id }) => !traces.has(traceOf(request_id)))) {
    assert.ok(attempt.outcome === "unknown" || isNotSent(attempt), told);
    const heard = named.find(({ requestId }) => requestId === attempt.request_id);
    assert.ok(heard === undefined || heard.status === 500 || heard.status === 504 || !heard.upstreamCalled, told);
  }
  assert.ok(attempts.length <= sent, told);
  const response = attempts.findLast(({ outcome }) => outcome === state);
  assert.ok(response?.answered_at || isGivenUp(wanted), told);
}

/**
 * Checks that each verification with a 504 and a later outcome also has an event. Waits until the journal is processed.
 */
export async function checkTold(db: Kysely<Tables>, wanted: readonly Wanted[]): Promise<void> {
  await until(
    async () => (await db.selectFrom("verification_journal").select("number").limit(1).execute()).length === 0,
  );
  const events = await db.selectFrom("event").select("about").where("type", "=", "verification.settled").execute();
  const told = new Set(events.map(({ about }) => about));
  for (const one of wanted)
    if (one.named.some(({ status }) => status === 504) && !isGivenUp(one))
      assert.ok(told.has(one.reference!), `${one.key} was told 504, and no event followed`);
}

/** Checks that the hourly and daily sums match the ledger, whatever was killed when. */
export async function checkSums(db: Kysely<Tables>): Promise<void> {
  const wrong = await inSnapshot(db, async (snapshot) => {
    const compared = comparedSums(snapshot, Date.now(), new TimeZone("Africa/Lagos"));
    return (await Array.fromAsync(compared)).flatMap(({ differences }) => differences);
  });
  assert.deepEqual(wrong, []);
}

/** Checks that no deadlock occurred, because all statements of the ledger take their locks in one order. */
export async function checkDeadlocks(db: Kysely<Tables>): Promise<void> {
  if (isSqlite(db)) return;
  const counted = sql<{ deadlocks: number }>`select deadlocks from pg_stat_database where datname = current_database()`;
  // The database may be restarting.
  const { rows } = await counted.execute(db).catch(() => ({ rows: [] }));
  assert.equal(rows[0]?.deadlocks ?? 0, 0, "deadlocks");
}
