import type { Db, EventEndpointRow } from "../storage/tables.ts";
import { openSecret, type SealedRow, sealSecret, wrappedBy } from "./envelope-encryption.ts";
import { currentOf, type Keyring } from "./keyring.ts";

const columns = ["secret", "former_secret"] as const;

/** The data that binds the sealed secrets to their endpoint. */
export function secretsOf({ id, audience }: Pick<EventEndpointRow, "id" | "audience">): SealedRow {
  return { accountId: audience, reference: id };
}

/**
 * Seals the secrets of all endpoints with the record key that is current at `now`. Skips a secret that somebody changes
 * meanwhile. Returns the ids of the endpoints whose secrets the ring cannot open.
 */
export async function rewrapSecrets(db: Db, keyring: Keyring, now: number): Promise<string[]> {
  const current = wrappedBy(currentOf(keyring.records, now).id);
  const unreadable: string[] = [];
  for (const endpoint of await db
    .selectFrom("event_endpoint")
    .select(["id", "audience", ...columns])
    .execute())
    for (const column of columns) {
      const sealed = endpoint[column];
      if (sealed === null || sealed.startsWith(current)) continue;
      let renewed: string;
      try {
        renewed = sealSecret(keyring, secretsOf(endpoint), openSecret(keyring, secretsOf(endpoint), sealed), now);
      } catch {
        unreadable.push(endpoint.id);
        continue;
      }
      const update = db.updateTable("event_endpoint").set({ [column]: renewed });
      await update.where("id", "=", endpoint.id).where(column, "=", sealed).execute();
    }
  return unreadable;
}

/** How many endpoints need each record key of the ring, by its id. */
export async function secretUsage(db: Db): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const endpoint of await db.selectFrom("event_endpoint").select(columns).execute()) {
    const keys = new Set(columns.flatMap((column) => endpoint[column]?.split(":")[1] ?? []));
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
