import { randomBytes } from "node:crypto";
import { type Expression, type SqlBool, sql } from "kysely";
import { isSqlite } from "../storage/engine.ts";
import { newestNumber } from "../storage/migrations/migrate.ts";
import type { Pulse } from "../storage/pulse/pulse.ts";
import { storeTime } from "../storage/queries/store-time.ts";
import type { Db } from "../storage/tables.ts";

/** Each process owns the rows that it started while its lease is valid. */
export interface Leases extends Pick<Pulse, "isValid" | "renewIfExpired"> {
  /** Id of this process. */
  readonly ownerId: string;
  /**
   * SQL on a ledger row: the lease of its owner has expired. On SQLite a serving process has no lease, and another
   * serving process ends its rows.
   */
  readonly isOwnerGone: Expression<SqlBool>;
  /**
   * SQL on a row of `charging_process`: the process has been dead so long that none of its statements runs and none of
   * its callers waits.
   */
  readonly isLongGone: Expression<SqlBool>;
}

/** A process counts as long gone this many milliseconds after the end of its lease. */
const longGone = 60_000;

export function leasesOf(pulse: Pick<Pulse, "id" | "hasPeers" | "isValid" | "renewIfExpired">): Leases {
  const { id, hasPeers, isValid } = pulse;
  return { ownerId: id, isValid, renewIfExpired: () => pulse.renewIfExpired(), ...othersGone(id, hasPeers) };
}

/**
 * The lease of a command that verifies. This lease is never renewed and expires after a fixed time, even if the process
 * dies.
 */
export interface CommandLease extends Leases {
  end(): Promise<void>;
}

export async function commandLease(db: Db, milliseconds: number): Promise<CommandLease> {
  const id = randomBytes(9).toString("base64url");
  const isShared = !isSqlite(db);
  const begun = performance.now();
  await sql`insert into verification_owner (id, expires_at, serves, migration)
    values (${id}, ${storeTime(isShared)} + ${sql.lit(milliseconds)}, 0, ${sql.lit(newestNumber)})`.execute(db);
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
    // Excludes our own process, which may run this after a freeze before it renews its lease.
    isOwnerGone: sql<SqlBool>`${sql.ref("verification.owner")} <> ${id} and not exists (
      select 1 from verification_owner where verification_owner.id = verification.owner and expires_at > ${now}
    )`,
    isLongGone: sql<SqlBool>`not exists (
      select 1 from verification_owner
      where verification_owner.id = charging_process.id and expires_at > ${now} - ${sql.lit(longGone)}
    )`,
  };
}
