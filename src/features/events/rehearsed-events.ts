import { type Kysely, sql } from "kysely";
import { type EventType, eventTypes } from "../../declare/event.ts";
import { inTransaction } from "../../storage/audited.ts";
import { announce, rehearsed } from "../../storage/events/announce.ts";
import { piecesOf } from "../../storage/queries/pieces.ts";
import type { EventRow, Tables } from "../../storage/tables.ts";

/** How many rehearsed events of one account are kept. */
export const mostRehearsed = 1_000;

/**
 * The most events that one rehearsal removes. There may be many such events, because an older version never removed
 * any, and on SQLite verifications wait for this transaction.
 */
const removedAtOnce = 200;

/**
 * Makes an event with invented data for the test mode of an account, and removes the account's oldest rehearsed events
 * beyond 1,000. `at`: milliseconds since 1970.
 */
export async function rehearse(
  db: Kysely<Tables>,
  { type, accountId, at }: { type: EventType; accountId: string; at: number },
): Promise<EventRow> {
  const { example: data } = eventTypes[type];
  return inTransaction(db, async (trx) => {
    const row = await announce(trx, { type, audience: accountId, mode: "test", about: rehearsed, data, at });
    await removeBeyondBudget(trx, accountId);
    return row!;
  });
}

async function removeBeyondBudget(trx: Kysely<Tables>, accountId: string): Promise<void> {
  // A literal: the planner uses the partial index of rehearsed events only for a literal, not for a parameter.
  const itsRehearsed = trx
    .selectFrom("event")
    .where("audience", "=", accountId)
    .where("about", "=", sql.lit(rehearsed));
  const { count } = await itsRehearsed.select(({ fn }) => fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
  const beyond = Math.min(Number(count) - mostRehearsed, removedAtOnce);
  if (beyond <= 0) return;
  // The oldest event of the store stays, because it marks how far back all accounts' events reach.
  const oldest = await itsRehearsed
    .select("number")
    .where("number", ">", ({ selectFrom }) => selectFrom("event").select(({ fn }) => fn.min("number").as("first")))
    .orderBy("number")
    .limit(beyond)
    .execute();
  for (const some of piecesOf(oldest.map(({ number }) => number))) {
    await trx.deleteFrom("event_delivery").where("number", "in", some).execute();
    await trx.deleteFrom("event").where("number", "in", some).execute();
  }
}
