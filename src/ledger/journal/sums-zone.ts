import { sql } from "kysely";
import { CommandError } from "../../declare/command.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import { isSqlite } from "../../storage/engine.ts";
import { StoreError } from "../../storage/errors.ts";
import {
  lacks,
  noteOlderVersion,
  nothingCounted,
  olderVersionNote,
  stateSumsSince,
} from "../../storage/migrations/older-version.ts";
import { storeTime } from "../../storage/queries/store-time.ts";
import { upsert } from "../../storage/queries/upsert.ts";
import type { Db } from "../../storage/tables.ts";

/** The name of the fact that holds the time zone by which the days of the sums begin. */
const zoneFact = "sums-time-zone";

/** The name of the zone of the sums; undefined before the first start of a version that notes the name. */
export async function zoneOfSums(db: Db): Promise<string | undefined> {
  const row = await db.selectFrom("fact").select("value").where("name", "=", zoneFact).executeTakeFirst();
  return row?.value;
}

/** Whether the sums have the ledger's counts by days of this zone. If not, the ledger itself must be read. */
export async function hasSumsOf(db: Db, zone: TimeZone): Promise<boolean> {
  if (lacks(await olderVersionNote(db), stateSumsSince)) return false;
  return ((await zoneOfSums(db)) ?? zone.name) === zone.name;
}

/** Throws a `CommandError` if this zone is not that of the sums: days of two zones must not be added up. */
export async function checkSumsZone(db: Db, zone: TimeZone): Promise<void> {
  const stored = (await zoneOfSums(db)) ?? zone.name;
  if (stored !== zone.name)
    throw new CommandError(
      `The sums of this store are of days in ${stored}, and DUBA_TIME_ZONE is ${zone.name}. Set it to ${stored}, or start the service with ${zone.name} first.`,
    );
}

/**
 * Makes this zone the zone of the sums, before this process serves. Sums of another zone are marked to be counted anew.
 * Throws a `StoreError` if another process serves with another zone. `id`: of this process.
 */
export async function claimSumsZone(db: Db, zone: TimeZone, id: string): Promise<void> {
  const stored = await zoneOfSums(db);
  if (stored === zone.name) return;
  const isOther = stored !== undefined || !(await daysBeginIn(db, zone));
  if (isOther && (await anotherServes(db, id)))
    throw new StoreError(
      `DUBA_TIME_ZONE is ${zone.name}, and another process of this store serves with ${stored ?? "another time zone"}. Set ${stored ?? "that one"} here too, or stop all processes and start them with ${zone.name}: then the sums are counted anew.`,
    );
  const isClaimed = await db.transaction().execute(async (trx) => {
    const before = stored === undefined ? {} : { value: stored };
    if (!(await upsert(trx, "fact", { name: zoneFact }, { value: zone.name, created_at: Date.now() }, before)))
      return false;
    if (isOther) await noteOlderVersion(trx, nothingCounted);
    return true;
  });
  if (!isClaimed) await claimSumsZone(db, zone, id);
}

/** Whether every day of the sums begins at the start of a day of this zone. */
async function daysBeginIn(db: Db, zone: TimeZone): Promise<boolean> {
  const days = db.selectFrom("verification_sum").select("begins_at").where("span", "=", "day").distinct();
  return (await days.execute()).every(({ begins_at: at }) => zone.startOfDay(zone.dayOf(at)) === at);
}

/** Whether another process serves this store. On SQLite only one process can. */
async function anotherServes(db: Db, id: string): Promise<boolean> {
  if (isSqlite(db)) return false;
  const others = db.selectFrom("verification_owner").select("id").where("serves", "=", 1).where("id", "<>", id);
  const alive = others.where("expires_at", ">", sql<number>`${storeTime(true)}`);
  return (await alive.limit(1).executeTakeFirst()) !== undefined;
}
