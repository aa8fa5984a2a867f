import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";
import { secondTables } from "./0002_tables.ts";
import { createTables } from "./create-tables.ts";

/** Events, the request log, and what the console draws and acknowledges. It only adds: the version before may run meanwhile. */
export async function addEvents(db: Kysely<Tables>): Promise<void> {
  await createTables(db, secondTables, (name, table) =>
    name === "event_delivery"
      ? table.addForeignKeyConstraint("event_delivery_of_endpoint", ["endpoint_id"], "event_endpoint", ["id"], (it) =>
          it.onDelete("cascade"),
        )
      : table,
  );
  for (const index of indexes) await sql.raw(`create ${index}`).execute(db);
  await db.schema
    .alterTable("verification")
    .addColumn("was_unknown", "integer", (it) => it.notNull().defaultTo(0))
    .execute();
  await db.updateTable("verification").set({ was_unknown: 1 }).where("state", "=", "unknown").execute();
  await db.insertInto("change_counter").values({ name: "event", number: 0 }).execute();
}

const indexes = [
  "index api_request_by_account on api_request (account_id, mode, written_at, serial)",
  "index api_request_by_id on api_request (request_id)",
  "index api_request_by_age on api_request (written_at, serial)",
  "unique index event_by_id on event (id)",
  "index event_by_audience on event (audience, number)",
  "index event_by_subject on event (type, about, number)",
  "index event_endpoint_by_audience on event_endpoint (audience)",
  "index event_delivery_by_place on event_delivery (endpoint_id, place)",
  // What is to be sent, and what was not. Statements write these states as literals, so that both engines use the indexes.
  "index event_delivery_waiting on event_delivery (endpoint_id, place) where state = 'waiting'",
  "index event_delivery_undelivered on event_delivery (state, number) where state <> 'delivered'",
  "index event_delivery_by_event on event_delivery (number)",
];
