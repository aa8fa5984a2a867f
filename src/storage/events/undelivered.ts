import { sql } from "kysely";
import type { Db } from "../tables.ts";
import { deliveryTime } from "./announce.ts";
import { markedEndpoints } from "./made-endpoints.ts";
import { isServedEndpoint } from "./served-endpoints.ts";

/** Milliseconds of failures before an operator should look at the endpoint. */
const failingAfter = 3_600_000;

/**
 * Returns endpoints that answered 410, or accepted nothing for an hour. Leaves out endpoints of suspended accounts and
 * revoked keys. `since`: milliseconds since 1970; `waiting`: number of waiting events.
 */
export async function failingEndpoints(
  db: Db,
  now: number,
): Promise<{ id: string; isOff: boolean; since: number; waiting: number }[]> {
  const off = (await markedEndpoints(db, now, { isOff: true })).filter(
    ({ mark }) => mark !== "its account is suspended" && mark !== "its key is revoked",
  );
  const waits = await db
    .selectFrom("event_delivery")
    .innerJoin("event_endpoint", "event_endpoint.id", "event_delivery.endpoint_id")
    .where(isServedEndpoint("event_endpoint"))
    .select(({ fn }) => [
      "endpoint_id as id",
      fn.countAll<number>().as("waiting"),
      fn.min<number | null>(sql`case when attempts > 0 then give_up_at end`).as("ends"),
    ])
    .where("state", "=", sql.lit("waiting" as const))
    .groupBy("endpoint_id")
    .execute();
  return [
    ...off.map(({ id, off_since }) => ({ id, isOff: true, since: off_since!, waiting: 0 })),
    ...waits.flatMap(({ id, waiting, ends }) => {
      const since = ends === null ? now : Number(ends) - deliveryTime;
      return now - since > failingAfter ? [{ id, isOff: false, since, waiting: Number(waiting) }] : [];
    }),
  ];
}

/**
 * Counts waiting and dead deliveries, for operators. `oldest`: when the oldest event with a waiting delivery happened,
 * not counting suspended accounts; `oldestDead`: the same for dead deliveries, of suspended accounts as well. Null:
 * none.
 */
export async function undelivered(
  db: Db,
): Promise<{ waiting: number; dead: number; oldest: number | null; oldestDead: number | null }> {
  const rows = await db
    .selectFrom("event_delivery")
    .innerJoin("event", "event.number", "event_delivery.number")
    .innerJoin("event_endpoint", "event_endpoint.id", "event_delivery.endpoint_id")
    .select(["event_delivery.state", ({ fn }) => fn.countAll<number>().as("count")])
    .select(
      sql<number | null>`min(case when state = 'dead' or ${isServedEndpoint("event_endpoint")} then event.at end)`.as(
        "oldest",
      ),
    )
    .where("event_delivery.state", "<>", sql.lit("delivered" as const))
    .groupBy("event_delivery.state")
    .execute();
  const of = (state: string) => rows.find((row) => row.state === state);
  return {
    waiting: Number(of("waiting")?.count ?? 0),
    dead: Number(of("dead")?.count ?? 0),
    oldest: of("waiting")?.oldest ?? null,
    oldestDead: of("dead")?.oldest ?? null,
  };
}
