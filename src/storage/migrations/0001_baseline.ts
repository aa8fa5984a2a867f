import { createHash } from "node:crypto";
import { type Kysely, sql } from "kysely";
import { isSqlite } from "../engine.ts";
import { newHistoryId } from "../history-id.ts";
import { allSlots } from "../record-keys.ts";
import type { Tables } from "../tables.ts";
import { indexes } from "./0001_indexes.ts";
import { baselineTables } from "./0001_tables.ts";
import { type Builder, createTables } from "./create-tables.ts";

type Schema = Kysely<Tables>;

const ofPerson = (name: string) => (table: Builder) =>
  table.addForeignKeyConstraint(`${name}_of_person`, ["person_id"], "person", ["id"], (it) => it.onDelete("cascade"));

const constraints: { [Name in keyof Tables]?: (table: Builder) => Builder } = {
  account: (table) => table.addUniqueConstraint("account_email", ["email"]),
  api_key: (table) => table.addForeignKeyConstraint("api_key_of_account", ["account_id"], "account", ["id"]),
  access_token: (table) =>
    table.addForeignKeyConstraint("access_token_of_key", ["key_id"], "api_key", ["id"], (it) => it.onDelete("cascade")),
  person: (table) => table.addUniqueConstraint("person_email", ["email"]),
  person_invitation: ofPerson("person_invitation"),
  passkey: ofPerson("passkey"),
  console_session: ofPerson("console_session"),
  event_delivery: (table) =>
    table.addForeignKeyConstraint("event_delivery_of_endpoint", ["endpoint_id"], "event_endpoint", ["id"], (it) =>
      it.onDelete("cascade"),
    ),
  spending: (table) =>
    table.addCheckConstraint("spending_within_terms", sql`kobo <= most_kobo and verifications <= most_verifications`),
};

/** A hash of this migration's tables. Released tables must not change: see `frozen.test.ts`. */
export const baselineHash = createHash("sha256")
  .update(JSON.stringify([baselineTables, indexes]))
  .digest("hex")
  .slice(0, 16);

export async function makeBaseline(db: Schema): Promise<void> {
  await createTables(db, baselineTables, (name, table) => {
    const constrained = constraints[name as keyof Tables]?.(table) ?? table;
    const hasSlots = name === "record_key" && !isSqlite(db);
    return hasSlots ? constrained.modifyEnd(sql`partition by list (slot)`) : constrained;
  });
  if (!isSqlite(db))
    for (const slot of allSlots)
      await sql.raw(`create table record_key_${slot} partition of record_key for values in (${slot})`).execute(db);
  for (const index of indexes) await sql.raw(`create ${index}`).execute(db);

  await db.insertInto("baseline").values({ hash: baselineHash }).execute();
  await db.insertInto("catalogue_history").values({ id: newHistoryId(), restored_at: 0 }).execute();
  const counters = (["access", "catalogue", "routes", "event"] as const).map((name) => ({ name, number: 0 }));
  await db.insertInto("change_counter").values(counters).execute();
  await db.insertInto("audit_head").values({ id: 1, store: "", batch: 0, hash: "", removed: 0, mac: "" }).execute();
}
