import { type CheckKind, checkKinds } from "../../declare/check-kind.ts";
import { ledgerTrail } from "../../ledger/ledger-trail.ts";
import { type Audited, inTransaction, type WithClock } from "../../storage/audited.ts";
import { noteChange } from "../../storage/change-counter.ts";
import { insertIfNew, upsert } from "../../storage/queries/upsert.ts";
import type { Db } from "../../storage/tables.ts";

/** Why a person pauses a vendor, as a sentence about the vendor. */
export const pauseReasons = {
  load: "it is slow or has too much to do",
  money: "it costs too much or its wallet is empty",
  answers: "its answers are wrong",
  key: "its key must not be used",
} as const;
export type PauseReason = keyof typeof pauseReasons;

/** A vendor that gets no new attempts. Times are milliseconds since 1970. */
export interface PausedRoute {
  vendor: string;
  /** Null for every kind of check. */
  kind: CheckKind | null;
  why: PauseReason;
  /** The actor who paused the vendor. */
  by: string;
  since: number;
  /** Null for a pause that lasts until a person resumes the vendor. */
  until: number | null;
}

const prefix = "route-paused";
const nameOfPause = ({ vendor, kind }: Pick<PausedRoute, "vendor" | "kind">) =>
  [prefix, vendor, kind ?? "all"].join(":");

/** The pauses in force at `now`, in milliseconds since 1970. */
export async function pausedRoutes(db: Db, now: number): Promise<PausedRoute[]> {
  return (await notedPauses(db)).filter(({ until }) => until === null || until > now);
}

async function notedPauses(db: Db): Promise<PausedRoute[]> {
  const rows = await db
    .selectFrom("fact")
    .select(["name", "value", "created_at"])
    .where("name", ">=", `${prefix}:`)
    .where("name", "<", `${prefix};`)
    .orderBy("name")
    .execute();
  return rows.map(({ name, value, created_at: since }) => {
    const [, vendor, kind] = name.split(":");
    return { vendor: vendor!, kind: kind === "all" ? null : (kind as CheckKind), since, ...JSON.parse(value) };
  });
}

/** The pause that applies to a vendor and kind of check. Of two pauses, the one that ends later. */
export function pauseOf(pauses: readonly PausedRoute[], vendor: string, kind: CheckKind): PausedRoute | undefined {
  return pauses
    .filter((pause) => pause.vendor === vendor && (pause.kind ?? kind) === kind)
    .toSorted((one, other) => (other.until ?? Number.POSITIVE_INFINITY) - (one.until ?? Number.POSITIVE_INFINITY))[0];
}

/** Pauses a vendor, or changes the reason and end of its pause. Every process obeys within seconds. */
export async function pauseRoute(
  { db, audit, actor, now }: Audited & WithClock,
  route: Omit<PausedRoute, "by" | "since">,
): Promise<void> {
  const { vendor, kind, why, until } = route;
  await db.transaction().execute(async (trx) => {
    const value = JSON.stringify({ why, by: actor, until });
    await upsert(trx, "fact", { name: nameOfPause(route) }, { value, created_at: now() });
    await noteChange(trx, "routes");
    await audit(trx, ledgerTrail.routePaused(actor, { vendor, kind, why, until }));
  });
}

/**
 * Ends a pause; with `kind` null, all pauses of the vendor. If only one kind of a pause for all kinds is resumed, all
 * further kinds stay paused. False without a pause.
 */
export async function resumeRoute(
  { db, audit, actor }: Audited,
  route: Pick<PausedRoute, "vendor" | "kind">,
): Promise<boolean> {
  const { vendor, kind } = route;
  return inTransaction(db, async (trx) => {
    const whole = nameOfPause({ vendor, kind: null });
    const ended = kind === null ? checkKinds : [kind];
    const names = [whole, ...ended.map((kind) => nameOfPause({ vendor, kind }))];
    const gone = await trx.deleteFrom("fact").where("name", "in", names).returningAll().execute();
    if (gone.length === 0) return false;
    const ofAll = gone.find(({ name }) => name === whole);
    const others = checkKinds.filter((other) => ofAll && !ended.includes(other));
    for (const kind of others) await insertIfNew(trx, "fact", { name: nameOfPause({ vendor, kind }) }, ofAll!);
    await noteChange(trx, "routes");
    await audit(trx, ledgerTrail.routeResumed(actor, { vendor, kind }));
    return true;
  });
}

/** Removes expired pauses, each with an audit entry. */
export async function endPauses({ db, audit, now }: Omit<Audited, "actor"> & WithClock): Promise<void> {
  for (const pause of await notedPauses(db)) {
    const { vendor, kind, since, until } = pause;
    if (until === null || until > now()) continue;
    await db.transaction().execute(async (trx) => {
      // A newer pause that somebody has set meanwhile is not deleted.
      const own = trx.deleteFrom("fact").where("name", "=", nameOfPause(pause)).where("created_at", "=", since);
      if ((await own.returning("name").execute()).length === 0) return;
      await noteChange(trx, "routes");
      await audit(trx, ledgerTrail.routeResumed("system", { vendor, kind }));
    });
  }
}
