import type { Kysely } from "kysely";
import { CommandError } from "../operation/command.ts";
import { eventTypeNames } from "../operation/event.ts";
import { type Audited, inTransaction } from "../storage/audited.ts";
import { lockCounter } from "../storage/change-counter.ts";
import { deliveryTime } from "../storage/events/announce.ts";
import type { Tables } from "../storage/tables.ts";
import { findEndpoint } from "./endpoints.ts";

export const deliveryStates = ["waiting", "delivered", "dead"] as const satisfies Tables["event_delivery"]["state"][];
export type DeliveryState = (typeof deliveryStates)[number];

const mostListed = 100;

/** The newest deliveries, newest event first, with their events. */
export async function listDeliveries(
  db: Kysely<Tables>,
  { endpoint, state }: { endpoint?: string | undefined; state?: DeliveryState | undefined },
) {
  if (endpoint !== undefined) await findEndpoint(db, endpoint);
  return db
    .selectFrom("event_delivery as delivery")
    .innerJoin("event", "event.number", "delivery.number")
    .selectAll("delivery")
    .select(["event.id", "event.type", "event.at"])
    .$if(endpoint !== undefined, (query) => query.where("delivery.endpoint_id", "=", endpoint!))
    .$if(state !== undefined, (query) => query.where("delivery.state", "=", state!))
    .orderBy("delivery.number", "desc")
    .orderBy("delivery.endpoint_id")
    .limit(mostListed)
    .execute();
}

/** The events about a verification, oldest first, with what became of them at each endpoint. */
export async function eventsAbout(db: Kysely<Tables>, reference: string) {
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

/** An event with what became of it at each endpoint. Throws a `CommandError` if there is none of this id. */
export async function findEvent(db: Kysely<Tables>, id: string) {
  const event = await db.selectFrom("event").selectAll().where("id", "=", id).executeTakeFirst();
  if (!event) throw new CommandError("No event has this id. Events are kept for 60 days.");
  const deliveries = db.selectFrom("event_delivery").selectAll().where("number", "=", event.number);
  return { ...event, deliveries: await deliveries.orderBy("endpoint_id").execute() };
}

/**
 * Queues the dead deliveries of an endpoint again, or one that is dead or was delivered, and returns how many. An endpoint that was off
 * is on again. Throws a `CommandError` if there is nothing to do.
 */
export async function resend(
  { db, audit, actor }: Audited,
  { endpoint, event }: { endpoint: string; event?: string | undefined },
  now: number,
): Promise<number> {
  return inTransaction(db, async (trx) => {
    await lockCounter(trx, "event");
    const { off_since } = await findEndpoint(trx, endpoint);
    const found = await trx
      .selectFrom("event_delivery as delivery")
      .innerJoin("event", "event.number", "delivery.number")
      .select("delivery.number")
      .where("delivery.endpoint_id", "=", endpoint)
      .$if(event === undefined, (query) => query.where("delivery.state", "=", "dead"))
      .$if(event !== undefined, (query) =>
        query.where("event.id", "=", event!).where("delivery.state", "<>", "waiting"),
      )
      .orderBy("delivery.place")
      .execute();
    if (found.length === 0 && (event !== undefined || off_since === null))
      throw new CommandError(
        event === undefined
          ? `No event is dead for ${endpoint}.`
          : `The event waits for ${endpoint} already, or was never for it. See them: duba events list --endpoint ${endpoint}`,
      );
    const { last } = await trx
      .selectFrom("event_delivery")
      .select(({ fn }) => fn.max("place").as("last"))
      .where("endpoint_id", "=", endpoint)
      .executeTakeFirstOrThrow();
    for (const [index, { number }] of found.entries())
      await trx
        .updateTable("event_delivery")
        .set({
          ...{ state: "waiting", place: last! + 1 + index, give_up_at: now + deliveryTime },
          ...{ attempts: 0, tried_at: null, outcome: null },
        })
        .where("endpoint_id", "=", endpoint)
        .where("number", "=", number)
        .execute();
    await trx.updateTable("event_endpoint").set({ next_at: 0, off_since: null }).where("id", "=", endpoint).execute();
    await audit(trx, { kind: "events.resent", actor, facts: { endpoint, events: found.length } });
    return found.length;
  });
}
