import { sql } from "kysely";
import type { Db } from "../tables.ts";
import { deliveryTime } from "./announce.ts";

/**
 * SQL: whether an endpoint may get deliveries now. Deliveries of a suspended account wait until it is resumed. `table`:
 * the endpoints' table, or its alias.
 */
export function isServedEndpoint(table: string) {
  return sql<boolean>`not exists (
    select 1 from account where account.id = ${sql.ref(`${table}.audience`)} and account.suspended_at is not null)`;
}

/**
 * Restarts the delivery time of the waiting events of a resumed account, because nobody tried to deliver these events
 * during the suspension. `now` in milliseconds since 1970.
 */
export async function renewDeliveries(db: Db, account: string, now: number): Promise<void> {
  const its = db.selectFrom("event_endpoint").select("id").where("audience", "=", account);
  await db
    .updateTable("event_delivery")
    .set({ give_up_at: now + deliveryTime })
    .where("state", "=", sql.lit("waiting" as const))
    .where("endpoint_id", "in", its)
    .execute();
}
