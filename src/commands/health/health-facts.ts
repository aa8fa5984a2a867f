import { statfs } from "node:fs/promises";
import { endingKeys } from "../../access/keys/announce-expiring.ts";
import { listKeys } from "../../access/keys/keys.ts";
import { unsealedEntries } from "../../audit/read.ts";
import { belowCostIn } from "../../catalogue/guard/below-cost.ts";
import { draftName, listWaiting } from "../../catalogue/revisions/draft.ts";
import { latestSnapshot } from "../../catalogue/revisions/load.ts";
import { sourceStates } from "../../catalogue/sync/source-states.ts";
import { identitySettingsOf } from "../../config/identity-settings-of.ts";
import { failingEndpoints, undelivered } from "../../events/events.ts";
import { openVerifications } from "../../identity/ledger/reports/open-verifications.ts";
import { attemptsLeft } from "../../identity/routes/attempts-left.ts";
import { checksWithoutVendor, liveVendors } from "../../identity/routes/live-vendors.ts";
import { pausedRoutes, pauseOf } from "../../identity/routes/paused-routes.ts";
import { vendorFigures } from "../../identity/routes/vendor-figures.ts";
import { nearlySpentAccounts } from "../../identity/spending/spending-watch.ts";
import { upstreamStatus } from "../../identity/upstream-status.ts";
import { lastBackupAt } from "../../storage/backup/last-backup.ts";
import { loosenedProtection } from "../../storage/protection.ts";
import { failingJobs } from "../../storage/pulse/failing-jobs.ts";
import { doubtedSince } from "../../storage/retention/retention-clock.ts";
import { isServed } from "../../storage/sqlite/data-directory.ts";
import { tryWrite } from "../../storage/store.ts";
import type { CommandContext } from "../context.ts";

export type AlarmRoom = Pick<CommandContext, "db" | "now" | "config"> & {
  accounts: Pick<CommandContext["accounts"], "emails">;
};

/** What alarms are made of. */
export type HealthFacts = Awaited<ReturnType<typeof readFacts>>;

export async function readFacts(room: AlarmRoom) {
  const { db, config } = room;
  const now = room.now();
  const [
    takesWrites,
    freeBytes,
    newestAt,
    waiting,
    views,
    pauses,
    live,
    figures,
    open,
    unsealed,
    backupAt,
    keys,
    ends,
    instances,
    sources,
    belowCost,
    spent,
    emails,
    { dead, oldestDead },
    endpoints,
    clockDoubtedSince,
    failing,
    loosened,
  ] = await Promise.all([
    tryWrite(db),
    roomLeft(config),
    newestEntryAt(db),
    listWaiting(db),
    upstreamStatus(db, now),
    pausedRoutes(db, now),
    liveVendors(db, now),
    vendorFigures(db, now, config.vendorPrices),
    openVerifications(db),
    unsealedEntries(db),
    lastBackupAt(db),
    listKeys(db),
    endingKeys(db, now),
    servingInstances(room),
    sourceStates(db, now, config.pull),
    latestSnapshot(db).then(belowCostIn),
    nearlySpentAccounts(db, now, identitySettingsOf(config)),
    room.accounts.emails(),
    undelivered(db),
    failingEndpoints(db, now),
    doubtedSince(db, now),
    failingJobs(db, now),
    loosenedProtection(db, now),
  ]);
  return {
    takesWrites,
    roomLeft: freeBytes,
    /** How far the newest entry of the audit trail is ahead of the clock, in milliseconds. */
    clockBehind: Math.max(0, newestAt - now),
    /** The last time that was trusted, if the clock is too far from it; else null. */
    clockDoubtedSince,
    instances,
    sources,
    /** Sentences. */
    belowCost,
    held: waiting
      .filter(({ state }) => state === "held")
      .map((row) => ({ draft: draftName(row), since: row.created_at })),
    scheduled: waiting.filter(({ state }) => state === "scheduled").length,
    /** The checks that nobody can be asked for, and since when. */
    withoutVendor: checksWithoutVendor(live),
    withoutVendorSince: Math.max(
      ...live.filter(({ kind }) => checksWithoutVendor(live).includes(kind)).map(({ since }) => since ?? 0),
    ),
    pauses,
    vendors: [...Map.groupBy(views, ({ name }) => name)].map(([name, seen]) => ({
      name,
      /** Pauses aside. */
      ready: seen.every(({ state, alarm }) => state === "ready" && alarm === null),
      /** If all its checks are paused. */
      pause: seen.flatMap(({ kinds }) => kinds).every((kind) => pauseOf(pauses, name, kind))
        ? pauses.find(({ vendor }) => vendor === name)
        : undefined,
      alarm: seen.find(({ alarm }) => alarm !== null)?.alarm ?? null,
      /** Since when the first process sees that it has an alarm, or is not ready. */
      since: seen.flatMap(({ illSince }) => illSince ?? []).toSorted((one, other) => one - other)[0] ?? null,
      attemptsLeft: attemptsLeft(
        seen.find(({ balance }) => balance !== null)?.balance ?? null,
        figures.filter(({ vendor }) => vendor === name),
        config.vendorPrices[name],
      ),
    })),
    /** So many attempts of a vendor must be left. */
    fewestAttempts: config.attemptsLeft,
    // Of live keys: the sandbox has a number whose outcome is always unknown.
    unknown: open.find(({ mode, state }) => mode === "live" && state === "unknown") ?? { count: 0, since: null },
    unsealed,
    backupAt,
    needsBackup: keys.some(({ mode, revokedAt }) => mode === "live" && revokedAt === null),
    ending: ends.map(({ id, accountId, label, expiresAt }) => ({
      ...{ id, account: emails(accountId), label },
      expires_at: expiresAt,
    })),
    dead,
    oldestDead,
    endpoints,
    jobs: failing,
    loosened,
    spent: spent.map((use) => ({ ...use, email: emails(use.account) })),
  };
}

async function servingInstances({ db, now, config }: AlarmRoom): Promise<number> {
  if (!config.databaseUrl) return isServed(config.dataDirectory) ? 1 : 0;
  const { count } = await db
    .selectFrom("verification_owner")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("expires_at", ">", now())
    .where("serves", "=", 1)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Bytes that are free where SQLite's file is; null: PostgreSQL does not tell. */
async function roomLeft({ databaseUrl, dataDirectory }: AlarmRoom["config"]): Promise<number | null> {
  if (databaseUrl) return null;
  const { bavail, bsize } = await statfs(dataDirectory);
  return bavail * bsize;
}

async function newestEntryAt(db: AlarmRoom["db"]): Promise<number> {
  const newest = db.selectFrom("audit_entry").select(({ fn }) => fn.max("occurred_at").as("at"));
  return (await newest.executeTakeFirst())?.at ?? 0;
}
