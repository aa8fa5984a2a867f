import type { Kysely } from "kysely";
import { type Audit, inTransaction } from "./audited.ts";
import { lockCounter } from "./change-counter.ts";
import { isSqlite } from "./engine.ts";
import { storeTime } from "./queries/store-time.ts";
import { storeTrail } from "./store-trail.ts";
import type { Tables } from "./tables.ts";

/** Bounds of the guard. A smaller bound is stricter. */
const bounds = ["removal", "factor", "mean"] as const;

/** The settings that hold back a person's change. */
export interface Protection {
  fourEyes: boolean;
  guard: Record<(typeof bounds)[number], number>;
}

/** `of`: the processes that set it, for people. */
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
 * Notes the protection of a serving process at its start. If it is less strict than the one in force, the audit trail
 * gets an entry, and `loosenedProtection` reports it for a day, even after a restart.
 */
export async function sayProtection(
  { db, audit, now }: { db: Kysely<Tables>; audit: Audit; now: () => number },
  instance: string,
  own: Protection,
): Promise<void> {
  const { fourEyes, guard } = own;
  const values = JSON.stringify({ fourEyes, guard });
  await inTransaction(db, async (trx) => {
    // The lock serialises processes that start at once, so that each compares itself with those before it.
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
 * The strictest protection of the serving processes; if none serves, that of the last one. Undefined if no process ever
 * noted one.
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

/** What the last start made less strict, and when; undefined after a day, or if it is as strict again. */
export async function loosenedProtection(db: Kysely<Tables>, now: number) {
  const [last] = await newest(db);
  if (!last || last.loosened_at === null || last.loosened_at <= now - alarmTime) return undefined;
  return { what: last.loosened!, at: last.loosened_at };
}

export function isAsStrict(one: Protection, than: Protection): boolean {
  return (one.fourEyes || !than.fourEyes) && bounds.every((bound) => one.guard[bound] <= than.guard[bound]);
}

/** The rows of processes with a lease. On SQLite the serving process has no lease, and its row is the newest. */
function living(db: Kysely<Tables>) {
  return db
    .selectFrom("protection")
    .innerJoin("verification_owner", "verification_owner.id", "protection.instance")
    .where("expires_at", ">", storeTime(!isSqlite(db)));
}

function newest(db: Kysely<Tables>) {
  return db.selectFrom("protection").selectAll().orderBy("said_at", "desc").limit(1).execute();
}
