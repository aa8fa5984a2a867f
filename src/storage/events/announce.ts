import { type Kysely, sql } from "kysely";
import { declaredCopier } from "../../declare/answers/answer-writer.ts";
import { type EventData, type EventType, eventTypeNames, eventTypes } from "../../declare/event.ts";
import type { Mode } from "../../declare/operation.ts";
import { randomText } from "../../runtime/random-text.ts";
import { inTransaction } from "../audited.ts";
import { lockCounter } from "../change-counter.ts";
import type { Tables } from "../tables.ts";

/**
 * Audiences that are not a single account. For one account, the audience is its id. Operators also receive the events
 * of `accounts`.
 */
export const everyAccount = "accounts";
export const operators = "operators";

/** The subject of an event that a test key requested. */
export const rehearsed = "rehearsed";

/** How long we try to deliver an event, in milliseconds. */
export const deliveryTime = 3 * 24 * 3_600_000;

/** An event to announce. */
export interface Announcement<Type extends EventType> {
  type: Type;
  /** The id of an account, `everyAccount` or `operators`. */
  audience: string;
  /** The mode of the API keys that the event concerns. Null: both modes. */
  mode: Mode | null;
  /** The subject of the event, such as the id of a key. Bodies of events do not have this member. */
  about: string;
  data: EventData<Type>;
  /** Milliseconds since 1970. */
  at: number;
}

const copiers = new Map(eventTypeNames.map((type) => [type, declaredCopier(eventTypes[type].data)]));

/**
 * Writes an event in the transaction of the change that it reports, so that both commit or neither does, and queues it
 * for the endpoints that want it. Call this function last: it locks event numbers until the commit. Numbers therefore
 * follow the order of commits, and a reader who has read up to a number has missed nothing. With `unlessSince`, it
 * writes nothing if the newest event of this type and subject has the same data and is not older than that time.
 * Returns the event that it wrote. Throws if the data does not match the type's schema.
 */
export async function announce<Type extends EventType>(
  db: Kysely<Tables>,
  { type, audience, mode, about, data, at }: Announcement<Type>,
  unlessSince?: number,
): Promise<Tables["event"] | undefined> {
  const text = JSON.stringify(copiers.get(type)!(data));
  return inTransaction(db, async (trx) => {
    await lockCounter(trx, "event");
    if (unlessSince !== undefined) {
      const subject = trx
        .selectFrom("event")
        .select(["data", "at"])
        .where("type", "=", type)
        .where("about", "=", about);
      const newest = await subject.orderBy("number", "desc").limit(1).executeTakeFirst();
      if (newest?.data === text && newest.at >= unlessSince) return undefined;
    }
    const number = (await lastEvent(trx)) + 1;
    const id = `evt_${randomText(15)}`;
    const row = { number, id, type, audience, mode, about, at, data: text };
    await trx.insertInto("event").values(row).execute();
    const columns = ["endpoint_id", "number", "place", "state", "attempts", "give_up_at"] as const;
    await trx
      .insertInto("event_delivery")
      .columns(columns)
      .expression((insert) =>
        insert
          .selectFrom("event_endpoint as endpoint")
          .select((row) => [
            "endpoint.id as endpoint_id",
            row.val(number).as("number"),
            nextPlace.as("place"),
            row.val("waiting" as const).as("state"),
            row.lit(0).as("attempts"),
            row.val(at + deliveryTime).as("give_up_at"),
          ])
          .where((row) =>
            row.and([
              row("endpoint.off_since", "is", null),
              ...(audience === everyAccount ? [] : [row("endpoint.audience", "=", audience)]),
              ...(mode === null ? [] : [row("endpoint.mode", "=", mode)]),
              row("endpoint.types", "like", `%"${type}"%`),
            ]),
          ),
      )
      .execute();
    return row;
  });
}

/** The position after the endpoint's last delivery. */
const nextPlace = sql<number>`coalesce((
  select max(place) from event_delivery where event_delivery.endpoint_id = endpoint.id), 0) + 1`;

/** The number of the newest event; 0 before the first. */
export async function lastEvent(db: Kysely<Tables>): Promise<number> {
  const newest = db.selectFrom("event").select(({ fn }) => fn.max("number").as("last"));
  return (await newest.executeTakeFirstOrThrow()).last ?? 0;
}
