import { openCursor, sealCursor } from "../keyring/cursors.ts";
import { noSuchPlace } from "../operation/answers/feed.ts";
import { type EventType, eventTypeNames, eventTypes } from "../operation/event.ts";
import type { Failure } from "../operation/failures.ts";
import type { Caller } from "../operation/operation.ts";
import { everyAccount, lastEvent } from "../storage/events/announce.ts";
import { pageOf } from "../storage/queries/pieces.ts";
import { type EventBody, eventBodyOf } from "./event-body.ts";
import type { EventsRoom } from "./events.ts";

export interface EventList {
  data: EventBody[];
  /** Where to go on: the `after` of the next question. */
  next: string;
  /** Whether more events are there already. */
  more: boolean;
}

/**
 * The events of the caller's account and mode that its scopes allow, oldest first. `after` is the `next` of an earlier response;
 * without it the response lists nothing and gives the current `next`. Throws a `Failure` for a place that is not, or no longer, in
 * the list.
 */
export async function eventsAfter(
  { db, keyring }: Pick<EventsRoom, "db" | "keyring">,
  { after, limit }: { after: string | undefined; limit: number },
  { accountId, mode, scopes }: Pick<Caller, "accountId" | "mode" | "scopes">,
): Promise<EventList> {
  const { id: history } = await db.selectFrom("catalogue_history").select("id").executeTakeFirstOrThrow();
  const last = await lastEvent(db);
  const newest = placeIn(last, history);
  const place = after === "0" ? placeIn(0, history) : after && openCursor(keyring.current, accountId, after);
  const [number, of] = (after === undefined ? newest : (place ?? "")).split("-");
  const from = Number(number);
  if (of !== history || from > last)
    throw beginAnew("is of another history of this service, as there is after a restore");
  const events = db
    .selectFrom("event")
    .selectAll()
    .where("audience", "in", [accountId, everyAccount])
    .where("type", "in", typesFor(scopes))
    .where((row) => row.or([row("mode", "is", null), row("mode", "=", mode)]))
    .where("number", "<=", last);
  const { rows, more } = await pageOf(events, ["number"], limit, [from]);
  // After the rows are read: retention may remove them at any time.
  const { oldest } = await db
    .selectFrom("event")
    .select(({ fn }) => fn.min("number").as("oldest"))
    .executeTakeFirstOrThrow();
  if (from > 0 && from + 1 < (oldest ?? 1)) throw beginAnew("is older than the events that are kept");
  const next = more ? placeIn(rows.at(-1)!.number, history) : newest;
  return { data: rows.map(eventBodyOf), next: sealCursor(keyring.current, accountId, next), more };
}

/** All of one length. */
function placeIn(number: number, history: string): string {
  return `${String(number).padStart(15, "0")}-${history}`;
}

function typesFor(scopes: Caller["scopes"]): EventType[] {
  return eventTypeNames.filter((type) => {
    const { scope } = eventTypes[type];
    return scope === null || scopes.includes(scope);
  });
}

function beginAnew(why: string): Failure {
  return noSuchPlace(`after ${why}. Begin anew: ask without after, or with after=0 for all events that are kept.`);
}
