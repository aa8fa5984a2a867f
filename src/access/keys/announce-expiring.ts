import { announce } from "../../storage/events/announce.ts";
import type { Db } from "../../storage/tables.ts";
import { type ApiKey, listKeys } from "./keys.ts";

const day = 86_400_000;
/** How long before its end a key is named. */
const soon = 14 * day;

/** The keys that end soon and have no successor, such as one that `keys roll` made. */
export async function endingKeys(db: Db, now: number): Promise<(ApiKey & { expiresAt: number })[]> {
  const all = await listKeys(db);
  return all.filter((key): key is ApiKey & { expiresAt: number } => isEnding(key, all, now));
}

/** Announces each key that ends soon, once for each end. */
export async function announceExpiring(db: Db, now: number): Promise<void> {
  const told = db
    .selectFrom("event")
    .select("about")
    .where("type", "=", "key.expiring")
    .where("at", ">", now - 2 * soon);
  const known = new Set((await told.execute()).map(({ about }) => about));
  for (const { id, accountId, mode, expiresAt } of await endingKeys(db, now)) {
    const about = `${id} ${expiresAt}`;
    if (known.has(about)) continue;
    const data = { key: id, expires_at: new Date(expiresAt).toISOString() };
    // Another process may have announced it already.
    await announce(db, { type: "key.expiring", audience: accountId, mode, about, data, at: now }, now - 2 * soon);
  }
}

function isEnding(
  { accountId, mode, label, createdAt, expiresAt, revokedAt }: ApiKey,
  all: readonly ApiKey[],
  now: number,
) {
  if (revokedAt !== null || expiresAt === null || expiresAt <= now || expiresAt > now + soon) return false;
  return !all.some(
    (key) =>
      key.accountId === accountId &&
      key.mode === mode &&
      key.label === label &&
      key.createdAt > createdAt &&
      key.revokedAt === null &&
      (key.expiresAt ?? Number.POSITIVE_INFINITY) > expiresAt,
  );
}
