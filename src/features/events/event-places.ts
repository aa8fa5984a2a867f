import { noSuchPlace } from "../../declare/answers/feed.ts";
import type { Failure } from "../../declare/failures.ts";
import { lastEvent } from "../../storage/events/announce.ts";
import { openCursor, sealCursor } from "./cursors.ts";
import type { EventsRoom } from "./events.ts";

/** The pattern of a sealed place. */
export const eventCursor = "[\\w-]{72}";

/** The places of an account in the history of events. */
export interface EventPlaces {
  /** The number of the newest event. */
  last: number;
  /**
   * The number of the event that `after` names; 0 before the first. Throws a `Failure` for a place that is not in the
   * history.
   */
  from(after: string): number;
  /** The `next` that names an event, without any information about other accounts. */
  seal(number: number): string;
  /**
   * Throws a `Failure` if retention has removed events after this number. Call this after reading the events, because
   * retention may remove them at any time.
   */
  refuseRemoved(from: number): Promise<void>;
}

export async function eventPlaces(
  { db, keyring }: Pick<EventsRoom, "db" | "keyring">,
  accountId: string,
): Promise<EventPlaces> {
  const { id: history } = await db.selectFrom("catalogue_history").select("id").executeTakeFirstOrThrow();
  const last = await lastEvent(db);
  return {
    last,
    from(after) {
      if (after === "0") return 0;
      const [number, of] = (openCursor(keyring.current, accountId, after) ?? "").split("-");
      const from = Number(number);
      if (of !== history || from > last)
        throw beginAnew("is of another history of this service, as there is after a restore");
      return from;
    },
    // Padded, so that all cursors have the same length.
    seal: (number) => sealCursor(keyring.current, accountId, `${String(number).padStart(15, "0")}-${history}`),
    async refuseRemoved(from) {
      const { oldest } = await db
        .selectFrom("event")
        .select(({ fn }) => fn.min("number").as("oldest"))
        .executeTakeFirstOrThrow();
      if (from > 0 && from + 1 < (oldest ?? 1)) throw beginAnew("is older than the events that are kept");
    },
  };
}

function beginAnew(why: string): Failure {
  return noSuchPlace(`after ${why}. Begin anew: ask without after, or with after=0 for all events that are kept.`);
}
