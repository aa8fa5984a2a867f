import { randomUUID } from "node:crypto";
import { type Expression, expressionBuilder, type Kysely, type SqlBool, sql } from "kysely";
import { every } from "../../runtime/every.ts";
import type { Log } from "../../runtime/log.ts";
import { codeOf } from "../../storage/errors.ts";
import { followed, inTable } from "../../storage/queries/followed.ts";
import { piecesOf } from "../../storage/queries/pieces.ts";
import type { Tables, VerificationRow } from "../../storage/tables.ts";
import { giveBack, spendingColumns } from "../spending/spending.ts";
import { addAbandoned } from "./journal/journal-entry.ts";
import { transitions } from "./transitions.ts";

/** Each serving process owns the rows it started, for as long as its lease is valid. */
export interface Leases {
  /** Id of this process. */
  readonly ownerId: string;
  /** Whether other processes may serve beside this one. */
  readonly hasPeers: boolean;
  /** False once peers may think this process dead: then it must call no upstream. */
  isValid(): boolean;
  /** Renews a lease that expired while the store was away. Rejects if the store does not renew it. */
  renewIfExpired(): Promise<void>;
  /** SQL over a ledger row: its owner's lease has expired. */
  readonly isOwnerGone: Expression<SqlBool>;
  /** Whether this process runs the jobs that only one process at a time may run. */
  isLeader(): Promise<boolean>;
  stop(): Promise<void>;
}

/** On SQLite only one process serves, so every other owner is gone. */
export function singleProcessLeases(): Leases {
  const own = randomUUID();
  const isOwnerGone = sql<SqlBool>`${sql.ref("verification.owner")} <> ${own}`;
  return {
    ownerId: own,
    hasPeers: false,
    isValid: () => true,
    renewIfExpired: async () => {},
    isOwnerGone,
    isLeader: async () => true,
    stop: async () => {},
  };
}

const heartbeat = 1000;
/** Milliseconds from a renewal to the lease's end, by the database's clock. */
const leaseTime = 5000;
/** An expired lease is deleted after this many milliseconds. */
const leaseMemory = 60 * 60 * 1000;

/** Milliseconds since 1970 by the database's clock, which all processes share. */
const databaseTime = sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;

/** On PostgreSQL each process renews its lease every second; it expires 5 s after the last renewal. */
export async function openLeases(db: Kysely<Tables>, log: Log): Promise<Leases> {
  const own = randomUUID();
  let renewedAt = Number.NEGATIVE_INFINITY;

  const renew = async () => {
    const sentAt = performance.now();
    const expires = sql<number>`${databaseTime} + ${sql.lit(leaseTime)}`;
    await db
      .insertInto("verification_owner")
      .values({ id: own, expires_at: expires })
      .onConflict((conflict) => conflict.column("id").doUpdateSet({ expires_at: expires }))
      .execute();
    // From before the statement, so that this process sees its lease expire before its peers do.
    renewedAt = sentAt;
  };

  await renew();
  await db
    .deleteFrom("verification_owner")
    .where("expires_at", "<", sql<number>`${databaseTime} - ${sql.lit(leaseMemory)}`)
    .execute();

  const renewing = every(heartbeat, renew, (error) =>
    log.warn({ code: codeOf(error) }, "The lease on running verifications could not be renewed"),
  );
  const isValid = () => performance.now() - renewedAt < leaseTime;

  return {
    ownerId: own,
    hasPeers: true,
    isValid,
    renewIfExpired: async () => {
      if (!isValid()) await renewing.run();
    },
    // Never this process itself: after a freeze it may run this before it renews its lease.
    isOwnerGone: sql<SqlBool>`${sql.ref("verification.owner")} <> ${own} and not exists (
      select 1 from verification_owner
      where verification_owner.id = verification.owner and verification_owner.expires_at > ${databaseTime}
    )`,
    isLeader: async () => {
      const first = await db
        .selectFrom("verification_owner")
        .select((row) => row.fn.min("id").as("id"))
        .where("expires_at", ">", databaseTime)
        .executeTakeFirst();
      return first?.id === own;
    },
    stop: async () => {
      await renewing.stop();
      await db.deleteFrom("verification_owner").where("id", "=", own).execute();
    },
  };
}

/** Which started rows: those of one owner, or those whose owner's lease expired. */
type Whose = { owner: string } | Pick<Leases, "isOwnerGone">;

/** Makes started rows `unknown`. Each gives back what it took. */
export async function abandonAll(db: Kysely<Tables>, whose: Whose, now: () => number): Promise<number> {
  const spending = await db
    .selectFrom("verification")
    .select(["reference", "spends"])
    .where("state", "in", transitions.abandon.from)
    .where("spends", "is not", null)
    .where(isOf(whose))
    .execute();
  let abandoned = 0;
  for (const row of spending) if (await abandonOne(db, row, whose, now)) abandoned += 1;
  return db.transaction().execute(async (trx) => {
    const others = await abandonment(trx, whose).where("spends", "is", null).returning("reference").execute();
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
  whose: Whose,
  now: () => number,
): Promise<boolean> {
  const change = abandonment(db, whose)
    .where("reference", "=", reference)
    .returning([...spendingColumns, "run", "started_at"]);
  const query = followed(db, change, (changed) => [
    ...(spends === null ? [] : [giveBack(db, changed, reference)]),
    addAbandoned(db, changed, now(), [reference]),
  ]);
  return (await db.executeQuery(query.compile())).rows.length > 0;
}

function abandonment(db: Kysely<Tables>, whose: Whose) {
  return db
    .updateTable("verification")
    .set({ state: "unknown" })
    .where("state", "in", transitions.abandon.from)
    .where(isOf(whose));
}

function isOf(whose: Whose): Expression<SqlBool> {
  return "owner" in whose ? expressionBuilder<Tables, "verification">()("owner", "=", whose.owner) : whose.isOwnerGone;
}
