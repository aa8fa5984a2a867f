import { randomBytes } from "node:crypto";
import { type Expression, expressionBuilder, type Kysely, type SqlBool, sql } from "kysely";
import { isSqlite } from "../../storage/engine.ts";
import { storeTime } from "../../storage/pulse/beat.ts";
import type { Pulse } from "../../storage/pulse/pulse.ts";
import { followed, inTable } from "../../storage/queries/followed.ts";
import { piecesOf } from "../../storage/queries/pieces.ts";
import type { Tables, VerificationRow } from "../../storage/tables.ts";
import { giveBack, spendingColumns } from "../spending/spending.ts";
import { addAbandoned } from "./journal/journal-entry.ts";
import { notVerified, transitions } from "./transitions.ts";

/** Each process owns the rows it started, for as long as its lease is valid. */
export interface Leases extends Pick<Pulse, "isValid" | "renewIfExpired"> {
  /** Id of this process. */
  readonly ownerId: string;
  /** SQL over a ledger row: its owner's lease has expired. On SQLite a serving process has none: another one that serves ends its rows. */
  readonly isOwnerGone: Expression<SqlBool>;
  /** SQL over a row of `charging_process`: the process is gone for so long that no statement of it is under way, and no caller of it waits. */
  readonly isLongGone: Expression<SqlBool>;
}

/** Milliseconds after the end of a lease. */
const longGone = 60_000;

export function leasesOf(pulse: Pick<Pulse, "id" | "hasPeers" | "isValid" | "renewIfExpired">): Leases {
  const { id, hasPeers, isValid } = pulse;
  return { ownerId: id, isValid, renewIfExpired: () => pulse.renewIfExpired(), ...othersGone(id, hasPeers) };
}

/** Of a command that verifies. Nobody renews it: it ends after these milliseconds, also if the process dies. */
export interface CommandLease extends Leases {
  end(): Promise<void>;
}

export async function commandLease(db: Kysely<Tables>, milliseconds: number): Promise<CommandLease> {
  const id = randomBytes(9).toString("base64url");
  const isShared = !isSqlite(db);
  const begun = performance.now();
  await sql`insert into verification_owner (id, expires_at, serves)
    values (${id}, ${storeTime(isShared)} + ${sql.lit(milliseconds)}, 0)`.execute(db);
  return {
    ownerId: id,
    ...othersGone(id, isShared),
    isValid: () => performance.now() - begun < milliseconds,
    renewIfExpired: async () => {},
    end: async () => void (await db.deleteFrom("verification_owner").where("id", "=", id).execute()),
  };
}

function othersGone(id: string, isShared: boolean): Pick<Leases, "isOwnerGone" | "isLongGone"> {
  const now = storeTime(isShared);
  return {
    // Never this process itself: after a freeze it may run this before it renews its lease.
    isOwnerGone: sql<SqlBool>`${sql.ref("verification.owner")} <> ${id} and not exists (
      select 1 from verification_owner where verification_owner.id = verification.owner and expires_at > ${now}
    )`,
    isLongGone: sql<SqlBool>`not exists (
      select 1 from verification_owner
      where verification_owner.id = charging_process.id and expires_at > ${now} - ${sql.lit(longGone)}
    )`,
  };
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
