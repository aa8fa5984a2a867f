import { randomUUID } from "node:crypto";
import { type Expression, type Kysely, type SqlBool, sql } from "kysely";
import { every } from "../../runtime/every.ts";
import type { Log } from "../../runtime/log.ts";
import { codeOf } from "../../storage/errors.ts";
import type { Tables } from "../../storage/tables.ts";

/** Who works on verifications: each serving process is one owner of the rows it has started. */
export interface Leases {
  /** This process. */
  readonly ownerId: string;
  /** Whether other processes may come and go beside this one. */
  readonly hasPeers: boolean;
  /** False once this process may be taken for dead: then it must ask no upstream. */
  isValid(): boolean;
  /** Makes sure that it is not: renews what ran out while the store was away. Rejects when the store does not take that. */
  renewIfExpired(): Promise<void>;
  /** Of a ledger row: whether its owner no longer works on it. */
  readonly isOwnerGone: Expression<SqlBool>;
  /** Whether this is the process that does what one process at a time is to do. */
  isLeader(): Promise<boolean>;
  stop(): Promise<void>;
}

/** On SQLite one process serves, so that every other owner is gone. */
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
/** Milliseconds that a lease lives on, by the database's clock. */
const leaseTime = 5000;
/** A dead owner's lease is forgotten after this many milliseconds. */
const leaseMemory = 60 * 60 * 1000;

/** Milliseconds since 1970 by the database's clock, which all processes share. */
const databaseTime = sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;

/** On PostgreSQL leases hold a lease: renewed each second, over 5 s after the last renewal. */
export async function openLeases(db: Kysely<Tables>, log: Log): Promise<Leases> {
  const own = randomUUID();
  let renewedAt = Number.NEGATIVE_INFINITY;

  const renew = async () => {
    const asked = performance.now();
    const expires = sql<number>`${databaseTime} + ${sql.lit(leaseTime)}`;
    await db
      .insertInto("verification_owner")
      .values({ id: own, expires_at: expires })
      .onConflict((conflict) => conflict.column("id").doUpdateSet({ expires_at: expires }))
      .execute();
    // From before the statement, so that this process thinks its lease over before any other does.
    renewedAt = asked;
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
    // Never this process itself: after a freeze it may ask before its lease is renewed.
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
