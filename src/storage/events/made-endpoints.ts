import { type SqlBool, sql } from "kysely";
import { type Audited, inTransaction } from "../audited.ts";
import { lockCounter } from "../change-counter.ts";
import type { Db, EventEndpointRow } from "../tables.ts";
import { endpointTrail } from "./endpoint-trail.ts";

/** Warnings about an endpoint, worst first. */
export const endpointMarks = [
  "its account is suspended",
  "its key is revoked",
  "its key has expired",
  "nobody kept who made it",
] as const;
export type EndpointMark = (typeof endpointMarks)[number];

/** A key's name as an actor, in audit entries and in endpoints. */
const ofKey = (key: string) => `key:${key}`;

/** An endpoint with its warning. */
export interface MarkedEndpoint {
  id: string;
  audience: string;
  /** The host of the URL. The path is left out: it may contain a secret of the receiver. */
  host: string;
  off_since: number | null;
  made_by: string | null;
  mark: EndpointMark | null;
}

/**
 * Returns endpoints with their warnings at `now`, oldest first: of one audience, of one key, only those switched off,
 * or all.
 */
export async function markedEndpoints(
  db: Db,
  now: number,
  { audience, key, isOff }: { audience?: string | undefined; key?: string; isOff?: true } = {},
): Promise<MarkedEndpoint[]> {
  const rows = await db
    .selectFrom("event_endpoint as endpoint")
    .leftJoin("account", "account.id", "endpoint.audience")
    .leftJoin("api_key", (join) =>
      join.on("api_key.id", "=", sql<string>`substr(endpoint.made_by, ${sql.lit(ofKey("").length + 1)})`),
    )
    .select(["endpoint.id", "endpoint.audience", "endpoint.url", "endpoint.off_since", "endpoint.made_by"])
    .select(["account.suspended_at", "api_key.revoked_at", "api_key.expires_at"])
    .$if(audience !== undefined, (query) => query.where("endpoint.audience", "=", audience!))
    .$if(isOff === true, (query) => query.where("endpoint.off_since", "is not", null))
    .$if(key !== undefined, (query) => query.where("endpoint.made_by", "=", ofKey(key!)))
    .orderBy("endpoint.created_at")
    .orderBy("endpoint.id")
    .execute();
  return rows.map(({ url, suspended_at, revoked_at, expires_at, ...row }) => {
    const isExpired = expires_at !== null && expires_at <= now;
    const holds = [suspended_at !== null, revoked_at !== null, isExpired, row.made_by === null];
    return { ...row, host: new URL(url).host, mark: endpointMarks[holds.indexOf(true)] ?? null };
  });
}

/**
 * Switches off the endpoints that a key added, and deletes their waiting deliveries, because a revoked key is not
 * trusted. Locks the counter `event`: code that needs further locks must take them before it calls this.
 */
export async function switchOffMadeBy({ db, audit, actor }: Audited, key: string, now: number): Promise<void> {
  await inTransaction(db, async (trx) => {
    // Adding an endpoint takes the same lock, and then checks whether the key is revoked.
    await lockCounter(trx, "event");
    const off = trx
      .updateTable("event_endpoint")
      .set({ off_since: now })
      .where("made_by", "=", ofKey(key))
      .where("off_since", "is", null);
    for (const row of await off.returningAll().execute()) {
      const waiting = trx.deleteFrom("event_delivery").where("endpoint_id", "=", row.id);
      await waiting.where("state", "=", sql.lit("waiting" as const)).execute();
      await audit(trx, endpointTrail.endpointOff(actor, { ...endpointFacts(row), key }));
    }
  });
}

/** The kinds of audit entries that record a change of endpoints. */
const endpointChanges = [
  endpointTrail.endpointAdded,
  endpointTrail.endpointRolled,
  endpointTrail.endpointRemoved,
  endpointTrail.eventsResent,
].map(({ kind }) => kind);

/**
 * Returns the times of the newest `most` changes of endpoints after `since`, newest first, in milliseconds since 1970:
 * those made by keys of the same account and mode as the key `actor`. None if the actor is not a key.
 */
export async function changesByKeys(db: Db, actor: string, since: number, most: number): Promise<number[]> {
  if (!actor.startsWith(ofKey(""))) return [];
  const keys = db
    .selectFrom("api_key")
    .innerJoin("api_key as its", (join) =>
      join.onRef("its.account_id", "=", "api_key.account_id").onRef("its.mode", "=", "api_key.mode"),
    )
    .select(sql<string>`${sql.lit(ofKey(""))} || api_key.id`.as("actor"))
    .where("its.id", "=", actor.slice(ofKey("").length));
  const changes = await db
    .selectFrom("audit_entry")
    .select("occurred_at")
    .where("kind", "in", endpointChanges)
    // This is the condition of the index by kind, so the query can use that index.
    .where(sql<SqlBool>`substr(kind, 1, 13) <> 'verification.'`)
    .where("occurred_at", ">", since)
    .where("actor", "in", keys)
    .orderBy("occurred_at", "desc")
    .limit(most)
    .execute();
  return changes.map(({ occurred_at }) => occurred_at);
}

/** Whether an actor is a key that is revoked. */
export async function isRevokedKey(db: Db, actor: string): Promise<boolean> {
  if (!actor.startsWith(ofKey(""))) return false;
  const key = db
    .selectFrom("api_key")
    .select("revoked_at")
    .where("id", "=", actor.slice(ofKey("").length));
  return (await key.executeTakeFirst())?.revoked_at != null;
}

/** Facts of an endpoint for the audit trail, without the path, which may hold a secret of the receiver. */
export function endpointFacts({ id, audience, mode, url }: EventEndpointRow) {
  return { endpoint: id, account: audience, mode, host: new URL(url).host };
}
