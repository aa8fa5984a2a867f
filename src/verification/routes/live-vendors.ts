import { sql } from "kysely";
import type { CheckKind } from "../../declare/check-kind.ts";
import type { Db } from "../../storage/tables.ts";
import type { UpstreamHealth } from "../../vendors/circuit-breaker.ts";
import { lastingAlarms, type VendorAlarm } from "../../vendors/out-of-order.ts";
import { type PausedRoute, pausedRoutes, pauseOf } from "./paused-vendors.ts";
import { type UpstreamStatus, upstreamStatus } from "./upstream-status.ts";

/**
 * The states of a vendor for a kind of check: paused by a person, failing, waiting after failures, not asked while the
 * store takes no writes, or ready. The worst state comes first.
 */
export const vendorStates = [
  "paused",
  ...lastingAlarms,
  ...(["refused", "bad_response", "finds_nobody", "open", "half_open", "not_asked", "ready"] as const),
] as const satisfies readonly ("paused" | "not_asked" | VendorAlarm | UpstreamHealth["state"])[];
export type VendorState = (typeof vendorStates)[number];

/**
 * Milliseconds that a vendor counts as away after its last failed attempt, so that it does not seem to work between two
 * failures.
 */
const stillAway = 5 * 60_000;

/** A vendor that serving processes use for a kind of check. Every page, alarm and figure uses this state. */
export interface LiveVendor {
  vendor: string;
  kind: CheckKind;
  /** The pause by a person, else the worst state in any process. */
  state: VendorState;
  pause: PausedRoute | undefined;
  alarm: VendorAlarm | null;
  /** True if every process waits before its next attempt, or may try again but failed less than `stillAway` ago. */
  isAway: boolean;
  /** When the vendor ceased to be ready, in milliseconds since 1970; null for a ready vendor. */
  since: number | null;
  /** The time of the last attempt, if the next verification tries whether the vendor works again; else null. */
  notAskedSince: number | null;
}

/**
 * The vendors of live verifications, from recent notes of the serving processes. `now` is in milliseconds since 1970.
 */
export async function liveVendors(db: Db, now: number): Promise<LiveVendor[]> {
  const [seen, pauses] = await Promise.all([upstreamStatus(db, now), pausedRoutes(db, now)]);
  return [...Map.groupBy(seen, ({ upstream }) => upstream)].flatMap(([vendor, views]) =>
    [...new Set(views.flatMap(({ kinds }) => kinds))].map((kind): LiveVendor => {
      const pause = pauseOf(pauses, vendor, kind);
      const askedAt = (view: UpstreamStatus) =>
        Math.max(view.last_answer_at ?? 0, ...Object.values(view.last_failures));
      const isAway = views.every(
        (view) => view.state === "open" || (view.state === "half_open" && now - askedAt(view) < stillAway),
      );
      const ill = views.flatMap(({ ill_since }) => ill_since ?? []);
      // A vendor is away since the last process noticed that.
      const since = ill.length === 0 ? null : isAway ? Math.max(...ill) : Math.min(...ill);
      const said = new Set<string>(views.flatMap(({ alarm, state }) => [alarm ?? [], state].flat()));
      // A newer version may have other alarms.
      const isWell = [...said].every((word) => word === "ready");
      return {
        vendor,
        kind,
        state: pause
          ? "paused"
          : (vendorStates.find((state) => state !== "ready" && said.has(state)) ?? (isWell ? "ready" : "open")),
        pause,
        alarm: views.find(({ alarm }) => alarm !== null)?.alarm ?? null,
        isAway,
        since: pause?.since ?? since,
        notAskedSince: views.every(({ state }) => state === "half_open")
          ? Math.max(...views.map(askedAt)) || null
          : null,
      };
    }),
  );
}

/** Of the checks of a vendor, the one with the worst state. */
export function worstOf(checks: readonly LiveVendor[]): LiveVendor | undefined {
  return checks.toSorted((one, other) => vendorStates.indexOf(one.state) - vendorStates.indexOf(other.state))[0];
}

/** The pauses that keep a check from its vendor, without those of checks that the vendor does not serve. */
export function pausesThatCount(pauses: readonly PausedRoute[], live: readonly LiveVendor[]): PausedRoute[] {
  return pauses.filter(({ vendor, kind }) => {
    const own = live.filter((one) => one.vendor === vendor);
    return kind === null || own.length === 0 || own.some((one) => one.kind === kind);
  });
}

/** The kinds of check without any vendor if `but` were paused as well. */
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
