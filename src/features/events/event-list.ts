import { type EventType, eventTypeNames, eventTypes } from "../../declare/event.ts";
import type { Caller } from "../../declare/operation.ts";
import { everyAccount } from "../../storage/events/announce.ts";
import { type EventBody, eventBodyOf } from "../../storage/events/event-body.ts";
import { pageOf } from "../../storage/queries/pieces.ts";
import { eventPlaces } from "./event-places.ts";
import type { EventsRoom } from "./events.ts";

export interface EventList {
  data: EventBody[];
  /** The `after` of the next request. */
  next: string;
  /** Whether the list has more events already. */
  more: boolean;
}

/**
 * The events of the caller's account and mode that its scopes allow, oldest first. `after` is the `next` of an earlier
 * response; without it the response lists nothing and gives the current `next`. Throws a `Failure` for a place that is
 * not, or no longer, in the list.
 */
export async function eventsAfter(
  room: Pick<EventsRoom, "db" | "keyring">,
  { after, limit }: { after: string | undefined; limit: number },
  { accountId, mode, scopes }: Pick<Caller, "accountId" | "mode" | "scopes">,
): Promise<EventList> {
  const places = await eventPlaces(room, accountId);
  const { last } = places;
  const from = after === undefined ? last : places.from(after);
  const events = room.db
    .selectFrom("event")
    .selectAll()
    .where("audience", "in", [accountId, everyAccount])
    .where("type", "in", typesFor(scopes))
    .where((row) => row.or([row("mode", "is", null), row("mode", "=", mode)]))
    .where("number", "<=", last);
  const { rows, more } = await pageOf(events, ["number"], limit, [from]);
  await places.refuseRemoved(from);
  return { data: rows.map(eventBodyOf), next: places.seal(more ? rows.at(-1)!.number : last), more };
}

/** The types of events that a key with these scopes may list. */
export function typesFor(scopes: Caller["scopes"]): EventType[] {
  return eventTypeNames.filter((type) => {
    const { scope } = eventTypes[type];
    return scope === null || scopes.includes(scope);
  });
}
