import type { AliasedExpression, Selectable, Transaction } from "kysely";
import type { AuditEvent } from "../../declare/audit-kind.ts";
import type { CheckKind } from "../../declare/check-kind.ts";
import { nairaOf } from "../../declare/money.ts";
import type { Mode } from "../../declare/operation.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import type { Audit } from "../../storage/audited.ts";
import { isSqlite } from "../../storage/engine.ts";
import { announce } from "../../storage/events/announce.ts";
import { pagesOf, piecesOf } from "../../storage/queries/pieces.ts";
import type { Db, Tables } from "../../storage/tables.ts";
import { lastVendor, withAttempts } from "../attempts.ts";
import type { IdentitySettings } from "../identity-settings.ts";
import { ledgerTrail } from "../ledger-trail.ts";
import { publicState, stateForClients } from "../public-state.ts";
import type { Followed, Happening } from "./journal-entry.ts";
import { addSums } from "./verification-sums.ts";

const batch = 200;

export interface JournalFollower {
  db: Db;
  audit: Audit;
  /** The time zone of daily sums. */
  zone: TimeZone;
  /** What events tell of a negative outcome. Default: `full`. */
  negativeDetail?: IdentitySettings["negativeDetail"];
}

/**
 * Processes the journal, oldest row first: each row becomes an entry of the audit trail, a change of the sums, and
 * perhaps an event. A row and its consequences commit together, so nothing is lost or announced twice. No ledger rows
 * are locked, because the columns read from these rows never change. Several processes may do this at once, each with
 * different verifications. Resolves to the number of processed rows.
 */
export async function followJournal({ db, audit, zone, negativeDetail = "full" }: JournalFollower): Promise<number> {
  let all = 0;
  for (;;) {
    const count = await db.transaction().execute(async (trx) => {
      const rows = await takeRows(trx);
      if (rows.length === 0) return 0;
      // On SQLite an empty journal numbers its rows anew, so these numbers give no order.
      const hasOrder = !isSqlite(trx);
      await audit(trx, ...rows.map((row) => entryOf(row, hasOrder ? { journal: row.number } : {})));
      await addSums(trx, rows, zone);
      for (const numbers of piecesOf(rows.map(({ number }) => number)))
        await trx.deleteFrom("verification_journal").where("number", "in", numbers).execute();
      // Events come last, because they lock event numbers until the commit.
      for (const row of rows) await tell(trx, row, negativeDetail);
      return rows.length;
    });
    all += count;
    // Stops at a batch that is not full. Under load, waiting for an empty journal would take a transaction for every
    // few rows.
    if (count < batch) return all;
  }
}

/**
 * The rows of the verifications that have waited longest, in order. On PostgreSQL, verifications that another process
 * has taken are skipped: locking a verification's first row takes all its rows.
 */
async function takeRows(trx: Transaction<Tables>): Promise<Followed[]> {
  const firsts = trx
    .selectFrom("verification_journal as journal")
    .select("journal.reference")
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom("verification_journal as earlier")
            .select("earlier.number")
            .whereRef("earlier.reference", "=", "journal.reference")
            .whereRef("earlier.number", "<", "journal.number"),
        ),
      ),
    )
    .orderBy("number")
    .limit(batch)
    .$if(!isSqlite(trx), (query) => query.forUpdate().skipLocked());
  const all = trx
    .with("firsts", () => firsts)
    .selectFrom("verification_journal")
    .selectAll("verification_journal")
    .where("verification_journal.reference", "in", (query) => query.selectFrom("firsts").select("firsts.reference"));
  return withWhatTheySay(trx, all.as("journal"));
}

/** All rows in the journal. `db` is a snapshot. */
export function waitingRows(db: Db): Promise<Followed[]> {
  return withWhatTheySay(db, db.selectFrom("verification_journal").selectAll().as("journal"));
}

/** Journal rows in order, joined with their verifications and attempts. */
async function withWhatTheySay(
  db: Db,
  journal: AliasedExpression<Selectable<Tables["verification_journal"]>, "journal">,
): Promise<Followed[]> {
  // One statement, because on SQLite a transaction blocks others between its statements. Subqueries look up attempts
  // one by one, because PostgreSQL would scan a small table to join it.
  const rows = await db
    .selectFrom(journal)
    .innerJoin("verification", "verification.reference", "journal.reference")
    .selectAll("journal")
    .select(lasting)
    .select(({ fn, selectFrom }) => {
      const attempts = selectFrom("verification_attempt as asked").whereRef(
        "asked.reference",
        "=",
        "journal.reference",
      );
      const ended = attempts.whereRef("asked.number", "=", "journal.attempt");
      const all = attempts.whereRef("asked.number", "<=", "journal.run");
      return [
        ...(["vendor", "started_at"] as const).map((column) => ended.select(`asked.${column}`).as(column)),
        all.select(fn.countAll<number>().as("count")).as("attempts"),
        all.select("asked.vendor").orderBy("asked.number", "desc").limit(1).as("last_vendor"),
      ];
    })
    .orderBy("journal.number")
    .execute();
  return rows as unknown as Followed[];
}

/** Columns of a verification that never change once set. */
const lasting = [
  "verification.reference",
  "verification.account_id",
  "verification.key_id",
  "verification.mode",
  "verification.kind",
  "verification.fee",
  "verification.charged_at",
  "verification.created_at",
] as const;

/**
 * Announces an outcome after its callers got "unknown", every reversal of a charge, and a charge if the verification
 * already has one of these events.
 */
async function tell(
  trx: Transaction<Tables>,
  row: Followed,
  negativeDetail: IdentitySettings["negativeDetail"],
): Promise<void> {
  const { reference, account_id: audience, at, what, charged } = row;
  const state = stateForClients(row, negativeDetail);
  const [mode, kind] = [row.mode as Mode, row.kind as CheckKind];
  const announced = { audience, mode, about: reference, at };
  if (what === "charge" || what === "reversal") {
    if (what === "charge" && !(await wasAnnounced(trx, reference))) return;
    const type = what === "charge" ? "verification.charged" : "verification.reversed";
    const charged_at = new Date(row.charged_at ?? at).toISOString();
    await announce(trx, {
      ...announced,
      type,
      data: { request_reference: reference, kind, fee: nairaOf(Math.abs(row.kobo)), charged_at },
    });
  } else if (row.told_unknown === 1 && state !== "unknown" && state !== "started" && state !== "refused") {
    const data = { request_reference: reference, kind, state, charged: charged === 1 };
    await announce(trx, { ...announced, type: "verification.settled", data });
  }
}

/** Whether an event about this verification exists. */
async function wasAnnounced(trx: Transaction<Tables>, reference: string): Promise<boolean> {
  const told = trx
    .selectFrom("event")
    .select("number")
    .where("type", "in", ["verification.settled", "verification.reversed"])
    .where("about", "=", reference);
  return (await told.limit(1).executeTakeFirst()) !== undefined;
}

const { verificationEnded, verificationCharged, verificationReversed, verificationAttempted } = ledgerTrail;

/**
 * The audit entry of each happening that changes the verification itself. The last such entry agrees with the ledger.
 * All other happenings concern one attempt only.
 */
const standingOf: Partial<Record<Happening, typeof verificationEnded>> = {
  outcome: verificationEnded,
  told_unknown: verificationEnded,
  settling: verificationEnded,
  release: verificationEnded,
  charge: verificationCharged,
  reversal: verificationReversed,
};

function entryOf(row: Followed, order: { journal?: number }): AuditEvent {
  const standing = standingOf[row.what];
  if (standing) return standing(keyOf(row), { ...standingFacts(row), ...order });
  return verificationAttempted(keyOf(row), {
    reference: row.reference,
    account: row.account_id,
    key: row.key_id,
    mode: row.mode,
    kind: row.kind,
    upstream: row.vendor,
    attempt: row.attempt,
    state: publicState(row),
    reason: row.reason,
    ...order,
  });
}

type Standing = Pick<
  Followed,
  "reference" | "account_id" | "key_id" | "mode" | "kind" | "charged" | "fee" | "attempts" | "last_vendor"
> & { state: string; reason: string | null };

/** The API key that made the request, as an actor of the audit trail. */
function keyOf({ key_id }: Pick<Followed, "key_id">): string {
  return `key:${key_id}`;
}

function standingFacts(row: Standing) {
  return {
    reference: row.reference,
    account: row.account_id,
    key: row.key_id,
    mode: row.mode,
    kind: row.kind,
    state: publicState(row),
    upstream: row.last_vendor,
    attempts: row.attempts,
    charged: row.charged === 1,
    fee: nairaOf(row.fee),
  };
}

const page = 500;

/** The audit entry that each ledger row should have, in pages; null for a row that runs or has rows in the journal. */
export async function* ledgerAuditEvents(
  db: Db,
): AsyncGenerator<{ reference: string; createdAt: number; event: AuditEvent | null }[]> {
  const ledger = db
    .selectFrom("verification")
    .select([...lasting, "state", "reason", "charged"])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom("verification_journal as journal")
          .select("journal.number")
          .whereRef("journal.reference", "=", "verification.reference"),
      ).as("waits"),
    );
  for await (const rows of pagesOf(ledger, ["reference"], page))
    yield (await withAttempts(db, rows)).map((row) => ({
      reference: row.reference,
      createdAt: row.created_at,
      event:
        row.state === "started" || row.waits
          ? null
          : verificationEnded(
              keyOf(row),
              standingFacts({ ...row, attempts: row.attempts.length, last_vendor: lastVendor(row) }),
            ),
    }));
}
