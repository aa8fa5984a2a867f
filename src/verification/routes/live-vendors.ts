import { sql } from "kysely";
import type { CheckKind } from "../../declare/check-kind.ts";
import type { Db } from "../../storage/tables.ts";
import { type PausedRoute, pausedRoutes, pauseOf } from "./paused-vendors.ts";
import { upstreamStatus } from "./upstream-status.ts";

/** A vendor that serving processes use for a kind of check. */
export interface LiveVendor {
  vendor: string;
  kind: CheckKind;
  pause: PausedRoute | undefined;
  /** True if every process currently waits before its next attempt there. */
  isAway: boolean;
  /** Since when it has been paused or away, in milliseconds since 1970. */
  since: number | null;
}

/**
 * The vendors of live verifications, from recent notes of the serving processes. `now` is in milliseconds since 1970.
 */
export async function liveVendors(db: Db, now: number): Promise<LiveVendor[]> {
  const [seen, pauses] = await Promise.all([upstreamStatus(db, now), pausedRoutes(db, now)]);
  return [...Map.groupBy(seen, ({ upstream }) => upstream)].flatMap(([vendor, views]) =>
    [...new Set(views.flatMap(({ kinds }) => kinds))].map((kind) => {
      const pause = pauseOf(pauses, vendor, kind);
      const isAway = views.every(({ state }) => state === "open");
      const away = isAway ? Math.max(...views.map(({ ill_since }) => ill_since ?? 0)) : null;
      return { vendor, kind, pause, isAway, since: pause?.since ?? away };
    }),
  );
}

/** The kinds of check that would have no vendor if `but` were paused too. */
export function checksWithoutVendor(
  vendors: readonly LiveVendor[],
  but: { vendor?: string; kind?: CheckKind | null } = {},
): CheckKind[] {
  const isBut = ({ vendor, kind }: LiveVendor) => vendor === but.vendor && (but.kind ?? kind) === kind;
  return [...Map.groupBy(vendors, ({ kind }) => kind)].flatMap(([kind, all]) =>
    all.every((one) => one.pause !== undefined || one.isAway || isBut(one)) ? [kind] : [],
  );
}

/** The live attempts for these checks in the hour before `now`, and the client that caused most of them. */
export async function attemptsOfLastHour(
  db: Db,
  kinds: readonly CheckKind[],
  now: number,
): Promise<{ count: number; most: { email: string; count: number; last: number } | undefined }> {
  const rows = await db
    .selectFrom("verification_attempt")
    .innerJoin("account", "account.id", "verification_attempt.account_id")
    .select([
      "account.email",
      sql<number | string>`count(*)`.as("count"),
      sql<number | string>`max(started_at)`.as("last"),
    ])
    .where("started_at", ">=", now - 3_600_000)
    .where("mode", "=", "live")
    .where("kind", "in", kinds)
    .groupBy("account.email")
    .execute();
  const clients = rows.map(({ email, count, last }) => ({ email, count: Number(count), last: Number(last) }));
  return {
    count: clients.reduce((sum, { count }) => sum + count, 0),
    most: clients.toSorted((one, other) => other.count - one.count)[0],
  };
}
