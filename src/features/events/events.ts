import type { BlockList } from "node:net";
import type { CurrentKeyring } from "../../keyring/keyring.ts";
import type { Audit } from "../../storage/audited.ts";
import type { Db } from "../../storage/tables.ts";
import { Deliverer, type DeliveryParts } from "./deliver.ts";

/** The resources of the operations about events. */
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

/** The events feature of a serving process. */
export interface Events extends EventsRoom {
  /** Deliveries of this process by outcome. */
  readonly counts: Readonly<Deliverer["counts"]>;
  /** Begins to send the waiting events. */
  deliver(): Promise<void>;
  /** Aborts deliveries in progress. Resolves when the store is no longer in use. */
  stop(): Promise<void>;
}

/** Opens the events feature. */
export async function openEvents({ engine, ...parts }: EventsParts): Promise<Events> {
  const { db, audit, keyring, networks, now } = parts;
  // Only one process serves on SQLite, so any existing lease belongs to a dead process.
  if (engine === "sqlite")
    await db
      .updateTable("event_endpoint")
      .set({ lease_owner: null, leased_until: 0 })
      .where("leased_until", ">", 0)
      .execute();
  const deliverer = new Deliverer(parts);
  return {
    db,
    audit,
    keyring,
    networks,
    now,
    counts: deliverer.counts,
    deliver: () => deliverer.begin(),
    stop: () => deliverer.stop(),
  };
}
