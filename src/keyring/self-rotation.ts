import type { Log } from "../runtime/log.ts";
import { codeOf } from "../storage/errors.ts";
import { readKeyring } from "./file.ts";
import { currentOf, KeyringFault, recordsName } from "./keyring.ts";
import { type RingPlace, retire, rotate, settling } from "./rotate.ts";
import { recordUsage } from "./usage.ts";

const lookEvery = 60_000;
/** So long before a new key is current, in milliseconds, its processes get to know it. */
const wait = 10_000;

export interface SelfRotation extends RingPlace {
  /** A record key serves for so many milliseconds. */
  every: number;
  now: () => number;
}

/**
 * Adds a record key when the newest has served its time, and retires those that no record is sealed under any more. Throws
 * `KeyringFault` if the ring cannot be changed.
 */
export async function rotateIfDue({ every, now, ...place }: SelfRotation): Promise<void> {
  const { path, db } = place;
  const newest = (await readKeyring(path)).records.at(-1)!;
  const noted = db.selectFrom("instance_secret").select("created_at").where("name", "=", recordsName(newest.id));
  const since = newest.from ?? (await noted.executeTakeFirst())?.created_at ?? now();
  if (now() - since >= every) {
    await rotate(place, { records: true, hashes: false, wait, now, after: newest.id });
  }
  const { records } = await readKeyring(path);
  const current = currentOf(records, now());
  if ((current.from ?? 0) + settling > now()) return;
  const older = records.slice(0, records.indexOf(current));
  const usage = older.length > 0 ? await recordUsage(db) : undefined;
  for (const { id } of older) {
    if (usage!.has(id)) continue;
    await retire(place, id, now());
  }
}

/** Does so each minute, until the function it gives is called. */
export function keepRotating(parts: SelfRotation, log: Log): () => Promise<void> {
  let running: Promise<void> | undefined;
  let told: string | undefined;
  const timer = setInterval(() => {
    running ??= rotateIfDue(parts)
      .then(
        () => {
          told = undefined;
        },
        (error) => {
          const reason = error instanceof KeyringFault ? error.message : `The store did not answer (${codeOf(error)}).`;
          if (reason !== told) log.warn({ reason }, "The key ring does not rotate by itself");
          told = reason;
        },
      )
      .finally(() => {
        running = undefined;
      });
  }, lookEvery);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
