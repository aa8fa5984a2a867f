import { announce } from "../../storage/events/announce.ts";
import type { Db } from "../../storage/tables.ts";
import { type ApiKey, apiKeyOf } from "./keys.ts";

const day = 86_400_000;
/** How long before its end a key is announced. */
const soon = 14 * day;

type EndingKey = ApiKey & { expires_at: number };

/**
 * Returns the keys that end soon and have no successor. `keys roll`, for example, makes a successor. `near_since`:
 * since when the key exists and its end is near.
 */
export async function endingKeys(db: Db, now: number): Promise<(EndingKey & { near_since: number })[]> {
  const ends = db
    .selectFrom("api_key")
    .select("account_id")
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .where("expires_at", "<=", now + soon);
  const rows = await db
    .selectFrom("api_key")
    .selectAll()
    .where("account_id", "in", ends)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  const all = rows.map(apiKeyOf);
  return all
    .filter((key): key is EndingKey => isEnding(key, all, now))
    .map((key) => ({ ...key, near_since: Math.max(key.expires_at - soon, key.created_at) }));
}

/** Announces each key that ends soon. A key whose end changes is announced again for the new end. */
export async function announceExpiring(db: Db, now: number): Promise<void> {
  const earlierEvents = db
    .selectFrom("event")
    .select("about")
    .where("type", "=", "key.expiring")
    .where("at", ">", now - 2 * soon);
  const known = new Set((await earlierEvents.execute()).map(({ about }) => about));
  for (const { id, account_id: audience, mode, expires_at } of await endingKeys(db, now)) {
    const about = `${id} ${expires_at}`;
    if (known.has(about)) continue;
    const data = { key: id, expires_at: new Date(expires_at).toISOString() };
    // Another process may have announced this key already.
    await announce(db, { type: "key.expiring", audience, mode, about, data, at: now }, now - 2 * soon);
  }
}

function isEnding(one: ApiKey, all: readonly ApiKey[], now: number) {
  const end = one.expires_at;
  if (one.revoked_at !== null || end === null || end <= now || end > now + soon) return false;
  return !all.some(
    (key) =>
      key.account_id === one.account_id &&
      key.mode === one.mode &&
      key.label === one.label &&
      key.created_at > one.created_at &&
      key.revoked_at === null &&
      (key.expires_at ?? Number.POSITIVE_INFINITY) > end,
  );
}
