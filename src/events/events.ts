import type { BlockList } from "node:net";
import { sql } from "kysely";
import type { CurrentKeyring } from "../keyring/keyring.ts";
import type { Audit } from "../storage/audited.ts";
import { deliveryTime } from "../storage/events/announce.ts";
import type { Db } from "../storage/tables.ts";
import { Deliverer, type DeliveryParts } from "./deliver.ts";

/** What the operations read. */
export interface EventsRoom {
  db: Db;
  audit: Audit;
  keyring: CurrentKeyring;
  /** Private networks that endpoints may be in. */
  networks: BlockList | null;
  /** Milliseconds since 1970. */
  now: () => number;
}

export interface EventsParts extends DeliveryParts {
  engine: "sqlite" | "postgres";
}

/** The room of a serving process. */
export interface Events extends EventsRoom {
  /** Deliveries of this process by outcome. */
  readonly counts: Readonly<Deliverer["counts"]>;
  /** Begins to send what waits. */
  deliver(): Promise<void>;
  /** Breaks off what is being sent. Resolves when the store is no longer in use. */
  stop(): Promise<void>;
}

/** Opens the room. */
export async function openEvents({ engine, ...parts }: EventsParts): Promise<Events> {
  const { db, audit, keyring, networks, now } = parts;
  // Only one process serves on SQLite, so that a lease is one of a process that is gone.
  if (engine === "sqlite")
    await db
      .updateTable("event_endpoint")
      .set({ lease_owner: null, leased_until: 0 })
      .where("leased_until", ">", 0)
      .execute();
  const deliverer = new Deliverer(parts);
  return {
    ...{ db, audit, keyring, networks, now },
    counts: deliverer.counts,
    deliver: () => deliverer.begin(),
    stop: () => deliverer.stop(),
  };
}

/** Milliseconds for which an endpoint may fail before somebody should look. */
const failingAfter = 3_600_000;

/**
 * Endpoints that are off since they answered 410, or that have taken nothing for an hour. `since`: milliseconds since 1970; `waiting`:
 * how many events wait for it.
 */
export async function failingEndpoints(
  db: Db,
  now: number,
): Promise<{ id: string; isOff: boolean; since: number; waiting: number }[]> {
  const off = await db
    .selectFrom("event_endpoint")
    .select(["id", "off_since"])
    .where("off_since", "is not", null)
    .execute();
  const waits = await db
    .selectFrom("event_delivery")
    .select(({ fn }) => [
      "endpoint_id as id",
      fn.countAll<number>().as("waiting"),
      fn.min<number | null>(sql`case when attempts > 0 then give_up_at end`).as("ends"),
    ])
    .where("state", "=", sql.lit("waiting" as const))
    .groupBy("endpoint_id")
    .execute();
  return [
    ...off.map(({ id, off_since }) => ({ id, isOff: true, since: off_since!, waiting: 0 })),
    ...waits.flatMap(({ id, waiting, ends }) => {
      const since = ends === null ? now : Number(ends) - deliveryTime;
      return now - since > failingAfter ? [{ id, isOff: false, since, waiting: Number(waiting) }] : [];
    }),
  ];
}

/** Deliveries that wait or are dead, for operators. `oldest`, `oldestDead`: when the oldest such event happened; null: none. */
export async function undelivered(
  db: Db,
): Promise<{ waiting: number; dead: number; oldest: number | null; oldestDead: number | null }> {
  const rows = await db
    .selectFrom("event_delivery")
    .innerJoin("event", "event.number", "event_delivery.number")
    .select([
      "event_delivery.state",
      ({ fn }) => fn.countAll<number>().as("count"),
      ({ fn }) => fn.min("event.at").as("oldest"),
    ])
    .where("event_delivery.state", "<>", sql.lit("delivered" as const))
    .groupBy("event_delivery.state")
    .execute();
  const of = (state: string) => rows.find((row) => row.state === state);
  return {
    waiting: Number(of("waiting")?.count ?? 0),
    dead: Number(of("dead")?.count ?? 0),
    oldest: of("waiting")?.oldest ?? null,
    oldestDead: of("dead")?.oldest ?? null,
  };
}
