import type { Kysely } from "kysely";
import { type Audit, inTransaction } from "./audited.ts";
import { lockCounter } from "./change-counter.ts";
import { isSqlite } from "./engine.ts";
import { storeTime } from "./queries/store-time.ts";
import { storeTrail } from "./store-trail.ts";
import type { Tables } from "./tables.ts";

/** Limits of the guard. A smaller value is stricter. */
const bounds = ["removal", "factor", "mean"] as const;

/** Settings that make a change wait for a second person. */
export interface Protection {
  fourEyes: boolean;
  guard: Record<(typeof bounds)[number], number>;
}

/** `of`: the processes with these settings, as text. */
export interface ProtectionInForce extends Protection {
  of: string;
}

/** How long an alarm reports a less strict start, in milliseconds. */
const alarmTime = 24 * 60 * 60_000;

const percent = (part: number) => `${Math.round(part * 100)}%`;

export function protectionText({ fourEyes, guard: { removal, factor, mean } }: Protection): string {
  return `four eyes ${fourEyes ? "on" : "off"}, removal ${percent(removal)}, price factor ${factor}, price mean ${percent(mean)}`;
}

/**
 * Notes the protection settings of a process at its start. If they are weaker than the ones in force, writes an audit
 * entry, and `loosenedProtection` reports it for a day, even after a restart.
 */
export async function sayProtection(
  { db, audit, now }: { db: Kysely<Tables>; audit: Audit; now: () => number },
  instance: string,
  own: Protection,
): Promise<void> {
  const { fourEyes, guard } = own;
  const values = JSON.stringify({ fourEyes, guard });
  await inTransaction(db, async (trx) => {
    // Processes that start at once take turns, so that each compares itself with the ones before.
    await lockCounter(trx, "access");
    const [last] = await newest(trx);
    const before = await protectionInForce(trx);
    const isLooser = before !== undefined && !isAsStrict(own, before);
    if (isLooser) {
      const facts = { process: instance, before: protectionText(before), after: protectionText(own) };
      await audit(trx, storeTrail.protectionLoosened("system", facts));
    }
    const stays = last && before && isAsStrict(before, own) ? last : undefined;
    const loosened = isLooser
      ? { loosened: `${protectionText(before)} to ${protectionText(own)}`, loosened_at: now() }
      : { loosened: stays?.loosened ?? null, loosened_at: stays?.loosened_at ?? null };
    await trx.deleteFrom("protection").where("instance", "not in", living(trx).select("protection.instance")).execute();
    await trx
      .insertInto("protection")
      .values({ instance, said: values, said_at: now(), ...loosened })
      .execute();
  });
}

/**
 * Returns the strictest settings among serving processes; if none serves, those of the last one. Undefined if no
 * process has served yet.
 */
export async function protectionInForce(db: Kysely<Tables>): Promise<ProtectionInForce | undefined> {
  const alive = await living(db).selectAll("protection").execute();
  const rows = alive.length > 0 ? alive : await newest(db);
  const all = rows.map(({ said }) => JSON.parse(said) as Protection);
  if (all.length === 0) return undefined;
  const strictest: Protection = {
    fourEyes: all.some(({ fourEyes }) => fourEyes),
    guard: Object.fromEntries(
      bounds.map((bound) => [bound, Math.min(...all.map(({ guard }) => guard[bound]))]),
    ) as Protection["guard"],
  };
  const names = rows.map(({ instance }) => instance.slice(0, 8)).join(" and ");
  return { ...strictest, of: `the service ${names}` };
}

/** Returns what the last start weakened, and when. Undefined after a day, or once it is restored. */
export async function loosenedProtection(db: Kysely<Tables>, now: number) {
  const [last] = await newest(db);
  if (!last || last.loosened_at === null || last.loosened_at <= now - alarmTime) return undefined;
  return { what: last.loosened!, at: last.loosened_at };
}

export function isAsStrict(one: Protection, than: Protection): boolean {
  return (one.fourEyes || !than.fourEyes) && bounds.every((bound) => one.guard[bound] <= than.guard[bound]);
}

/**
 * Selects the rows of processes with a lease. On SQLite no process has a lease, so this finds none, and
 * `protectionInForce` reads the newest row, which is that of the serving process.
 */
function living(db: Kysely<Tables>) {
  return db
    .selectFrom("protection")
    .innerJoin("verification_owner", "verification_owner.id", "protection.instance")
    .where("expires_at", ">", storeTime(!isSqlite(db)));
}

function newest(db: Kysely<Tables>) {
  return db.selectFrom("protection").selectAll().orderBy("said_at", "desc").limit(1).execute();
}
