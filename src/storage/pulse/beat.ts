import { type Kysely, type RawBuilder, sql } from "kysely";
import { isServedEndpoint } from "../events/served-endpoints.ts";
import { newestNumber } from "../migrations/migrate.ts";
import { databaseTime } from "../queries/store-time.ts";
import type { Tables } from "../tables.ts";

/** What a serving process learns from the store each second. Times are milliseconds since 1970. */
export interface Beat {
  /** The process's time when it sent the statement. */
  readonly askedAt: number;
  /**
   * Change counters of keys and accounts, of the catalogue, and of the pauses and order of vendors. Every process
   * increments them.
   */
  readonly access: number;
  readonly catalogue: number;
  readonly routes: number;
  /**
   * Whether there are journal rows, unsealed audit entries, events for an endpoint that is due, and running
   * verifications.
   */
  readonly journal: boolean;
  readonly unsealed: boolean;
  readonly deliveries: boolean;
  readonly started: boolean;
}

/** Milliseconds from a renewal of a lease to its end, by the database's clock. */
export const leaseTime = 5_000;

interface Answer extends Record<keyof Beat, number> {
  /** PostgreSQL's time. */
  at: number;
  /** The process with the smallest id among those with a lease. */
  leader: string;
}

/**
 * Writes SQL that is 1 if `first` finds a row, else 0. `first` reads one index entry, so the plan does not depend on
 * row estimates. Each `first` repeats the condition of its partial index, because SQLite would not use the index
 * otherwise.
 */
const waits = (first: RawBuilder<unknown>) => sql`case when (${first}) is null then 0 else 1 end`;

/** On PostgreSQL the statement also renews the lease of process `id`. On a replica the statement fails. */
export async function askForBeat(db: Kysely<Tables>, isShared: boolean, id: string, askedAt: number) {
  const facts = sql`
    (select number from change_counter where name = 'access') as access,
    (select number from change_counter where name = 'catalogue') as catalogue,
    (select number from change_counter where name = 'routes') as routes,
    ${waits(sql`select number from verification_journal order by number limit 1`)} as journal,
    ${waits(sql`select occurred_at from audit_entry where batch is null order by occurred_at limit 1`)} as unsealed,
    ${waits(sql`select created_at from verification where state = 'started' and state <> 'verified'
      order by created_at limit 1`)} as started,
    ${waits(sql`select id from event_endpoint where next_at <= ${askedAt} and leased_until <= ${askedAt}
      and id in (select endpoint_id from event_delivery where state = 'waiting')
      and ${isServedEndpoint("event_endpoint")} limit 1`)} as deliveries`;
  const statement = isShared
    ? sql<Answer>`
      with renewed as (
        insert into verification_owner (id, expires_at, serves, migration)
          values (${id}, ${databaseTime} + ${sql.lit(leaseTime)}, 1, ${sql.lit(newestNumber)})
        on conflict (id) do update set expires_at = excluded.expires_at
      )
      select ${facts}, ${databaseTime} as at,
        least(${id}, (select min(id) from verification_owner where expires_at > ${databaseTime} and serves = 1)) as leader`
    : sql<Answer>`select ${facts}`;
  const { rows } = await statement.execute(db);
  const { access, catalogue, routes, journal, unsealed, deliveries, started, at, leader } = rows[0]!;
  const beat: Beat = {
    askedAt,
    access,
    catalogue,
    routes,
    journal: journal === 1,
    unsealed: unsealed === 1,
    deliveries: deliveries === 1,
    started: started === 1,
  };
  return isShared ? { beat, at, isLeader: leader === id } : { beat, at: Date.now(), isLeader: true };
}
