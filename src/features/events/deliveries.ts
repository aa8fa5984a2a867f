import { sql } from "kysely";
import type { RowPlace } from "../../declare/command/forms.ts";
import { mend } from "../../declare/command/mend.ts";
import { CommandError, rowsAtOnce } from "../../declare/command.ts";
import { eventTypeNames } from "../../declare/event.ts";
import { type Audited, inTransaction } from "../../storage/audited.ts";
import { deliveryTime } from "../../storage/events/announce.ts";
import { endpointTrail } from "../../storage/events/endpoint-trail.ts";
import { pageOf, pagesOf, piecesOf } from "../../storage/queries/pieces.ts";
import type { Db, Tables } from "../../storage/tables.ts";
import { EndpointError } from "./endpoint-error.ts";
import { beginChange, type EndpointOwner, findEndpoint, lockEndpoints } from "./endpoints.ts";
import { eventPlaces } from "./event-places.ts";
import type { EventsRoom } from "./events.ts";

export const deliveryStates = ["waiting", "delivered", "dead"] as const satisfies Tables["event_delivery"]["state"][];
export type DeliveryState = (typeof deliveryStates)[number];

/** The newest deliveries, newest event first, with their events. */
export async function listDeliveries(
  db: Db,
  { limit, after, ...asked }: AskedDeliveries & { limit: number; after?: RowPlace | undefined },
) {
  return (await pageOf(await fitting(db, asked), placeInList, limit, after, "desc")).rows;
}

/** Reads all deliveries that match, in pages, newest event first. */
export async function* allDeliveries(db: Db, asked: AskedDeliveries) {
  yield* pagesOf(await fitting(db, asked), placeInList, rowsAtOnce, "desc");
}

export interface AskedDeliveries {
  endpoint?: string | undefined;
  state?: DeliveryState | undefined;
  /** Milliseconds since 1970. */
  since?: number | undefined;
  until?: number | undefined;
}

const placeInList = ["delivery.number", "delivery.endpoint_id"];

async function fitting(db: Db, { endpoint, state, since, until }: AskedDeliveries) {
  if (endpoint !== undefined) await findEndpoint(db, endpoint);
  return withEvents(db)
    .$if(endpoint !== undefined, (query) => query.where("delivery.endpoint_id", "=", endpoint!))
    .$if(state !== undefined, (query) => query.where("delivery.state", "=", state!))
    .$if(since !== undefined, (query) => query.where("event.at", ">=", since!))
    .$if(until !== undefined, (query) => query.where("event.at", "<", until!));
}

/**
 * Counts the dead deliveries that match, by endpoint, and returns when the oldest of their events happened, in
 * milliseconds since 1970.
 */
export async function deadByEndpoint(db: Db, asked: AskedDeliveries) {
  const { endpoint, since, until } = asked;
  if (endpoint !== undefined) await findEndpoint(db, endpoint);
  const rows = await db
    .selectFrom("event_delivery as delivery")
    .innerJoin("event", "event.number", "delivery.number")
    .select(({ fn }) => [
      "delivery.endpoint_id as endpoint",
      fn.countAll<number>().as("events"),
      fn.min("event.at").as("since"),
    ])
    .where("delivery.state", "=", sql.lit("dead" as const))
    .$if(endpoint !== undefined, (query) => query.where("delivery.endpoint_id", "=", endpoint!))
    .$if(since !== undefined, (query) => query.where("event.at", ">=", since!))
    .$if(until !== undefined, (query) => query.where("event.at", "<", until!))
    .groupBy("delivery.endpoint_id")
    .orderBy("delivery.endpoint_id")
    .execute();
  return rows.map((row) => ({ endpoint: row.endpoint, events: Number(row.events), since: Number(row.since) }));
}

/** Returns the delivery that was last tried at an endpoint, with its event. */
export async function lastTried(db: Db, endpoint: string) {
  return (
    withEvents(db)
      .where("delivery.endpoint_id", "=", endpoint)
      .where("delivery.tried_at", "is not", null)
      // Deliveries are tried in this order: queueing one again moves it to the end.
      .orderBy("delivery.place", "desc")
      .limit(1)
      .executeTakeFirst()
  );
}

/**
 * Deliveries of an endpoint after a place in the history of events, or the newest, oldest event first. Throws a
 * `Failure` for a place that is not, or no longer, in the history.
 */
export async function deliveriesAfter(
  room: Pick<EventsRoom, "db" | "keyring">,
  {
    accountId,
    endpoint,
    after,
    limit,
  }: { accountId: string; endpoint: string; after: string | undefined; limit: number },
) {
  const places = await eventPlaces(room, accountId);
  const query = withEvents(room.db)
    .where("delivery.endpoint_id", "=", endpoint)
    .where("delivery.number", "<=", places.last);
  if (after === undefined) {
    const newest = await query.orderBy("delivery.number", "desc").limit(limit).execute();
    return { rows: newest.reverse(), next: places.seal(places.last), more: false };
  }
  const from = places.from(after);
  const { rows, more } = await pageOf(query, ["delivery.number"], limit, [from]);
  await places.refuseRemoved(from);
  return { rows, next: places.seal(more ? rows.at(-1)!.number : places.last), more };
}

/** Deliveries, with their events. */
function withEvents(db: Db) {
  return db
    .selectFrom("event_delivery as delivery")
    .innerJoin("event", "event.number", "delivery.number")
    .selectAll("delivery")
    .select(["event.id", "event.type", "event.at"]);
}

/** Returns the events about a verification, oldest first, with the state of their delivery to each endpoint. */
export async function eventsAbout(db: Db, reference: string) {
  const events = await db
    .selectFrom("event")
    .select(["number", "id", "type", "at"])
    .where("type", "in", eventTypeNames)
    .where("about", "=", reference)
    .orderBy("number")
    .execute();
  const numbers = events.map(({ number }) => number);
  if (numbers.length === 0) return [];
  const sent = await db.selectFrom("event_delivery").selectAll().where("number", "in", numbers).execute();
  return events.map(({ number, ...event }) => ({
    ...event,
    deliveries: sent
      .filter((one) => one.number === number)
      .map(({ endpoint_id, state, tried_at }) => ({ endpoint: endpoint_id, state, triedAt: tried_at })),
  }));
}

/** Returns an event, with its delivery to each endpoint. Throws a `CommandError` if no event has this id. */
export async function findEvent(db: Db, id: string) {
  const event = await db.selectFrom("event").selectAll().where("id", "=", id).executeTakeFirst();
  if (!event) throw new CommandError("No event has this id. Events are kept for 60 days.");
  const deliveries = db.selectFrom("event_delivery").selectAll().where("number", "=", event.number);
  return { ...event, deliveries: await deliveries.orderBy("endpoint_id").execute() };
}

interface Resent {
  endpoint: string;
  owner?: EndpointOwner;
  event?: string | undefined;
  /** Only events from `since` to before `until`, in milliseconds since 1970. */
  since?: number | undefined;
  until?: number | undefined;
}

/** The most deliveries that one transaction queues. On SQLite every verification waits for that transaction. */
const atOnce = 200;

/**
 * Queues the dead deliveries of an endpoint again, or a single delivery that is dead or was delivered. Returns their
 * number. Switches the endpoint on if it was off. Undefined: there is nothing to do. Throws an `EndpointError` for an
 * unknown endpoint, and for an event that was never for that endpoint.
 */
export async function resend(room: Audited, wanted: Resent, now: number): Promise<number | undefined> {
  const first = await resendOldest(room, wanted, now);
  let count = first?.count;
  for (let piece = first; piece?.more; ) {
    // Deliveries that die meanwhile get a later place, so that the loop ends.
    piece = await resendOldest(room, wanted, now, { after: piece.place, until: first!.last });
    count! += piece?.count ?? 0;
  }
  return count;
}

/**
 * Queues the oldest dead deliveries between two places. `place`: the last queued one; `last`: the former end of the
 * queue; `more`: whether dead ones are left.
 */
async function resendOldest(
  { db, audit, actor }: Audited,
  { endpoint, owner, event, since, until }: Resent,
  now: number,
  places?: { after: number; until: number },
): Promise<{ count: number; place: number; last: number; more: boolean } | undefined> {
  return inTransaction(db, async (trx) => {
    await (places === undefined ? beginChange(trx, actor, now) : lockEndpoints(trx, actor));
    const { off_since } = await findEndpoint(trx, endpoint, owner);
    const asked = await trx
      .selectFrom("event_delivery as delivery")
      .innerJoin("event", "event.number", "delivery.number")
      .select(["delivery.number", "delivery.state", "delivery.place"])
      .where("delivery.endpoint_id", "=", endpoint)
      .$if(event === undefined, (query) => query.where("delivery.state", "=", "dead"))
      .$if(event !== undefined, (query) => query.where("event.id", "=", event!))
      .$if(since !== undefined, (query) => query.where("event.at", ">=", since!))
      .$if(until !== undefined, (query) => query.where("event.at", "<", until!))
      .$if(places !== undefined, (query) =>
        query.where("delivery.place", ">", places!.after).where("delivery.place", "<=", places!.until),
      )
      .orderBy("delivery.place")
      .limit(atOnce + 1)
      .execute();
    if (event !== undefined && asked.length === 0)
      throw new EndpointError(
        "event_not_found",
        "The endpoint never had this event.",
        mend("See them", "events.list", { endpoint }),
      );
    const found = asked.slice(0, atOnce).filter(({ state }) => state !== "waiting");
    if (found.length === 0 && (event !== undefined || off_since === null)) return undefined;
    const { last } = await trx
      .selectFrom("event_delivery")
      .select(({ fn }) => fn.max("place").as("last"))
      .where("endpoint_id", "=", endpoint)
      .executeTakeFirstOrThrow();
    const shift = last! + 1 - (found[0]?.place ?? 0);
    for (const some of piecesOf(found.map(({ number }) => number)))
      await trx
        .updateTable("event_delivery")
        .set((row) => ({
          state: "waiting",
          place: row("place", "+", shift),
          give_up_at: now + deliveryTime,
          attempts: 0,
          tried_at: null,
          outcome: null,
        }))
        .where("endpoint_id", "=", endpoint)
        .where("number", "in", some)
        .execute();
    await trx.updateTable("event_endpoint").set({ next_at: 0, off_since: null }).where("id", "=", endpoint).execute();
    await audit(trx, endpointTrail.eventsResent(actor, { endpoint, events: found.length }));
    return { count: found.length, place: found.at(-1)?.place ?? 0, last: last!, more: asked.length > atOnce };
  });
}
