import { rewrapSecrets } from "../../keyring/endpoint-secrets.ts";
import { readKeyring } from "../../keyring/file.ts";
import { currentOf, inUseSince, keyringReasonOf } from "../../keyring/keyring.ts";
import type { Log } from "../../runtime/log.ts";
import { reportingNewFailures } from "../../runtime/reporting-new-failures.ts";
import { type RingPlace, retire, rotate, settling } from "./rotate.ts";
import { recordUsage } from "./usage.ts";

/** Milliseconds between adding a key and its start, in which all processes read the new key. */
const wait = 10_000;

export interface SelfRotation extends RingPlace {
  /** How long a record key is current, in milliseconds. */
  every: number;
  now: () => number;
}

/**
 * Adds a record key when the newest is old enough, and retires the older keys that no record needs. Throws
 * `KeyringError` if the ring cannot be changed.
 */
export async function rotateIfDue({ every, now, ...place }: SelfRotation): Promise<void> {
  const { path, db } = place;
  const newest = (await readKeyring(path)).records.at(-1)!;
  const since = (await inUseSince(db, newest)) ?? now();
  if (now() - since >= every) {
    await rotate(place, { records: true, hashes: false, wait, now, after: newest.id });
  }
  const ring = await readKeyring(path);
  const current = currentOf(ring.records, now());
  const older = ring.records.slice(0, ring.records.indexOf(current));
  if (older.length === 0 || (current.from ?? 0) + settling > now()) return;
  // Records expire by themselves, but secrets of endpoints do not, so the secrets are sealed with the new key.
  await rewrapSecrets(db, ring, now());
  const usage = await recordUsage(db);
  for (const { id } of older) if (!usage.has(id)) await retire(place, id, now());
}

/** `rotateIfDue` as a job, which reports its failures itself. */
export function selfRotation(parts: SelfRotation, log: Log): () => Promise<void> {
  return reportingNewFailures(
    () => rotateIfDue(parts),
    keyringReasonOf,
    (reason) => log.warn({ reason }, "The key ring does not rotate by itself"),
  ).run;
}
