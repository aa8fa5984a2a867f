import { type Expression, expressionBuilder, type Kysely, type SqlBool, sql } from "#kysely";
import { databaseTime } from "../../storage/pulse/beat.ts";
import type { Pulse } from "../../storage/pulse/pulse.ts";
import { followed, inTable } from "../../storage/queries/followed.ts";
import { piecesOf } from "../../storage/queries/pieces.ts";
import type { Tables, VerificationRow } from "../../storage/tables.ts";
import { giveBack, spendingColumns } from "../spending/spending.ts";
import { addAbandoned } from "./journal/journal-entry.ts";
import { notVerified, transitions } from "./transitions.ts";

/** Each serving process owns the rows it started, for as long as its lease is valid. */
export interface Leases extends Pick<Pulse, "isValid" | "renewIfExpired"> {
  /** Id of this process. */
  readonly ownerId: string;
  /** SQL over a ledger row: its owner's lease has expired. On SQLite, where only one process serves, every other owner is gone. */
  readonly isOwnerGone: Expression<SqlBool>;
  /** SQL over a row of `charging_process`: the process is gone for so long that no statement of it is under way, and no caller of it waits. */
  readonly isLongGone: Expression<SqlBool>;
}

/** Milliseconds after the end of a lease. */
const longGone = 60_000;

export function leasesOf(pulse: Pick<Pulse, "id" | "hasPeers" | "isValid" | "renewIfExpired">): Leases {
  const { id, hasPeers, isValid } = pulse;
  // Never this process itself: after a freeze it may run this before it renews its lease.
  const isOther = sql<SqlBool>`${sql.ref("verification.owner")} <> ${id}`;
  const isOwnerGone = hasPeers
    ? sql<SqlBool>`${isOther} and not exists (
      select 1 from verification_owner
      where verification_owner.id = verification.owner and verification_owner.expires_at > ${databaseTime}
    )`
    : isOther;
  const isLongGone = hasPeers
    ? sql<SqlBool>`not exists (
      select 1 from verification_owner
      where verification_owner.id = charging_process.id and expires_at > ${databaseTime} - ${sql.lit(longGone)}
    )`
    : sql<SqlBool>`1 = 1`;
  return { ownerId: id, isValid, renewIfExpired: () => pulse.renewIfExpired(), isOwnerGone, isLongGone };
}

/** Which started rows: those of one owner, or those whose owner's lease expired. */
type LeaseScope = { owner: string } | Pick<Leases, "isOwnerGone">;

/** Makes started rows `unknown`. Each gives back what it took. */
export async function abandonAll(db: Kysely<Tables>, scope: LeaseScope, now: () => number): Promise<number> {
  const spending = await db
    .selectFrom("verification")
    .select(["reference", "spends"])
    .where("state", "in", transitions.abandon.from)
    .where(notVerified)
    .where("spends", "is not", null)
    .where(ownedBy(scope))
    .execute();
  let abandoned = 0;
  for (const row of spending) if (await abandonOne(db, row, scope, now)) abandoned += 1;
  return db.transaction().execute(async (trx) => {
    const others = await abandonment(trx, scope).where("spends", "is", null).returning("reference").execute();
    const at = now();
    for (const references of piecesOf(others.map(({ reference }) => reference)))
      await addAbandoned(trx, inTable, at, references).execute();
    return abandoned + others.length;
  });
}

/** Makes one started row `unknown`. False if it is not one of theirs. */
export async function abandonOne(
  db: Kysely<Tables>,
  { reference, spends }: Pick<VerificationRow, "reference" | "spends">,
  scope: LeaseScope,
  now: () => number,
): Promise<boolean> {
  const change = abandonment(db, scope)
    .where("reference", "=", reference)
    .returning([...spendingColumns, "run", "started_at"]);
  const query = followed(db, change, (changed) => [
    ...(spends === null ? [] : [giveBack(db, changed, reference)]),
    addAbandoned(db, changed, now(), [reference]),
  ]);
  return (await db.executeQuery(query.compile())).rows.length > 0;
}

function abandonment(db: Kysely<Tables>, scope: LeaseScope) {
  return db
    .updateTable("verification")
    .set({ state: "unknown" })
    .where("state", "in", transitions.abandon.from)
    .where(notVerified)
    .where(ownedBy(scope));
}

function ownedBy(scope: LeaseScope): Expression<SqlBool> {
  return "owner" in scope ? expressionBuilder<Tables, "verification">()("owner", "=", scope.owner) : scope.isOwnerGone;
}
