import { statfs } from "node:fs/promises";
import { endingKeys } from "../../access/keys/announce-expiring.ts";
import { hasLiveKey } from "../../access/keys/keys.ts";
import { unsealedEntries } from "../../audit/read.ts";
import { belowCostIn } from "../../catalogue/guard/below-cost.ts";
import { draftName, listWaiting, type SeenDraft, whyItWaits } from "../../catalogue/revisions/draft.ts";
import { changesOf, latestSnapshot } from "../../catalogue/revisions/load.ts";
import type { CommandContext } from "../../commands/context.ts";
import { identitySettingsOf } from "../../config/identity-settings-of.ts";
import { joinTexts, type RichText } from "../../declare/command/rich-text.ts";
import { shortNaira } from "../../declare/money.ts";
import { openVerifications } from "../../ledger/reports/open-verifications.ts";
import { nearlySpentAccounts } from "../../ledger/spending/spending-watch.ts";
import { recent } from "../../runtime/recent.ts";
import { failingEndpoints, undelivered } from "../../storage/events/undelivered.ts";
import { lastBackupAt } from "../../storage/last-backup.ts";
import { loosenedProtection } from "../../storage/protection.ts";
import { failingJobs } from "../../storage/pulse/failing-jobs.ts";
import { doubtedSince } from "../../storage/retention/retention-clock.ts";
import { isServed } from "../../storage/sqlite/data-directory.ts";
import { probeName } from "../../storage/store.ts";
import { takesWritesNow } from "../../storage/takes-writes.ts";
import { attemptsLeft } from "../../verification/routes/attempts-left.ts";
import { checksWithoutVendor, liveVendors, pausesThatCount, worstOf } from "../../verification/routes/live-vendors.ts";
import { pausedRoutes } from "../../verification/routes/paused-vendors.ts";
import { upstreamStatus } from "../../verification/routes/upstream-status.ts";
import { vendorFigures } from "../../verification/routes/vendor-figures.ts";

export type AlarmRoom = Pick<CommandContext, "db" | "now" | "config" | "health"> & {
  accounts: Pick<CommandContext["accounts"], "emails">;
};

/** The facts from which alarms are made. */
export type HealthFacts = Awaited<ReturnType<typeof readFacts>>;

export async function readFacts(room: AlarmRoom) {
  const { db, config } = room;
  const now = room.now();
  const read = await allOf({
    takesWrites: takesWritesNow(db),
    probedAt: lastProbeAt(db),
    roomLeft: roomLeft(config),
    newestAt: newestEntryAt(db),
    waiting: listWaiting(db),
    views: upstreamStatus(db, now),
    pauses: pausedRoutes(db, now),
    live: liveVendors(db, now),
    figures: vendorFigures(db, now, config.vendorPrices),
    open: openVerifications(db),
    unsealed: unsealedEntries(db),
    backupAt: lastBackupAt(db),
    needsBackup: hasLiveKey(db),
    ends: endingKeys(db, now),
    instances: servingInstances(room),
    told: Promise.all(room.health.map((tell) => tell(room))),
    /** Sentences about entries below cost. */
    belowCost: latestSnapshot(db).then(belowCostIn),
    nearlySpent: nearlySpentAccounts(db, now, identitySettingsOf(config)),
    deliveries: undelivered(db),
    endpoints: failingEndpoints(db, now),
    /** The last trusted time, if the clock is far from it; else null. */
    clockDoubtedSince: doubtedSince(db, now),
    jobs: failingJobs(db, now),
    loosened: loosenedProtection(db, now),
  });
  const {
    probedAt,
    newestAt,
    waiting,
    views,
    pauses,
    live,
    figures,
    open,
    ends,
    nearlySpent,
    deliveries,
    told,
    ...facts
  } = read;
  const withoutVendor = checksWithoutVendor(live);
  const emails = await room.accounts.emails([
    ...ends.map((key) => key.account_id),
    ...nearlySpent.map((use) => use.account),
  ]);
  return {
    ...facts,
    pauses: pausesThatCount(pauses, live),
    sources: told.flatMap(({ sources }) => sources ?? []),
    ofFeatures: told.flatMap(({ alarms }) => alarms),
    dead: deliveries.dead,
    oldestDead: deliveries.oldestDead,
    /** The last successful write, in milliseconds since 1970. Null: unknown. */
    wroteAt: Math.max(probedAt, newestAt > now ? 0 : newestAt) || null,
    /** How far the newest audit entry is ahead of the clock, in milliseconds. */
    clockBehind: Math.max(0, newestAt - now),
    held: await Promise.all(
      waiting
        .filter(({ state }) => state === "held")
        .map(async (row) => ({
          draft: draftName(row),
          since: row.created_at,
          by: row.author,
          reasons: whyItWaits(row),
          ...(await heldChange(db, row)),
        })),
    ),
    scheduled: waiting.filter(({ state }) => state === "scheduled").length,
    /** Kinds of check for which no vendor is available, and the vendors that would serve them. */
    withoutVendor,
    lost: live.filter(({ kind }) => withoutVendor.includes(kind)),
    vendors: [...Map.groupBy(live, ({ vendor }) => vendor)].map(([name, checks]) => ({
      name,
      ready: read.takesWrites && checks.every(({ state }) => state === "ready"),
      /** The worst state among the vendor's checks. */
      worst: worstOf(checks)!,
      /** The checks that a person has paused at this vendor. */
      paused: checks.flatMap(({ kind, pause }) => (pause ? [{ kind, pause }] : [])),
      isPaused: checks.every(({ pause }) => pause),
      /** A check with a problem other than a person's pause. */
      ill: checks.find(({ state }) => state !== "ready" && state !== "paused"),
      alarm: checks[0]!.alarm,
      attemptsLeft: attemptsLeft(
        views.find(({ upstream, balance }) => upstream === name && balance !== null)?.balance ?? null,
        figures.filter(({ vendor }) => vendor === name),
        config.vendorPrices[name],
      ),
    })),
    /** Fewer attempts left at a vendor than this raise an alarm. */
    fewestAttempts: config.attemptsLeft,
    // Live keys only: the sandbox has numbers whose outcome stays unknown.
    unknown: open.find(({ mode, state }) => mode === "live" && state === "unknown") ?? { count: 0, since: null },
    ending: ends.map(({ id, account_id, label, expires_at, near_since }) => ({
      id,
      accountId: account_id,
      account: emails(account_id),
      label,
      expires_at,
      near_since,
    })),
    spent: nearlySpent.map((use) => ({ ...use, email: emails(use.account) })),
  };
}

interface HeldChange {
  what: RichText;
  /** The number of changed entries and rules. */
  changes: number;
}

/** Cache of descriptions by draft: a held draft never changes. */
const heldChanges = new WeakMap<AlarmRoom["db"], ReturnType<typeof recent<HeldChange>>>();

/** Describes a change: "50MB 24Hrs (MTNDATA 104): ₦105 → ₦1,900 (+1,710 %), and 3 other changes". */
async function heldChange(db: AlarmRoom["db"], draft: SeenDraft): Promise<HeldChange> {
  const name = draftName(draft);
  const ofStore = heldChanges.get(db) ?? recent<HeldChange>(100);
  heldChanges.set(db, ofStore);
  const known = ofStore.get(name);
  if (known !== undefined) return known;
  const { listedChanges, movesOf, ruleChangeText } = await import("../../catalogue/commands/difference-view.ts");
  const changes = listedChanges(await changesOf(db, draft.id));
  const rule = changes.map(ruleChangeText).find((text) => text !== undefined);
  const [far] = movesOf(changes).moves.toSorted((one, other) => other.far - one.far);
  const first = far
    ? [`${far.called} (${far.entry}): ${shortNaira(far.was)} → ${shortNaira(far.now)} (${far.move})`]
    : rule;
  const others = changes.length - (first ? 1 : 0);
  const more = `${others} ${first ? "other " : ""}${others === 1 ? "change" : "changes"}`;
  const what = joinTexts([...(first ? [first] : []), ...(others === 0 ? [] : [[more]])], ", and ");
  const held = { what, changes: changes.length };
  ofStore.set(name, held);
  return held;
}

/** Awaits all members of an object. */
async function allOf<Asked extends Record<string, unknown>>(asked: Asked) {
  const found = Object.entries(asked).map(async ([name, promise]) => [name, await promise] as const);
  return Object.fromEntries(await Promise.all(found)) as { [Name in keyof Asked]: Awaited<Asked[Name]> };
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

/** Free bytes on the disk of SQLite's file; null on PostgreSQL, which does not report them. */
async function roomLeft({ databaseUrl, dataDirectory }: AlarmRoom["config"]): Promise<number | null> {
  if (databaseUrl) return null;
  const { bavail, bsize } = await statfs(dataDirectory);
  return bavail * bsize;
}

/** Returns when the store last accepted a write of `tryWrite`; 0: never. */
async function lastProbeAt(db: AlarmRoom["db"]): Promise<number> {
  const probe = db.selectFrom("fact").select("created_at").where("name", "=", probeName);
  return (await probe.executeTakeFirst())?.created_at ?? 0;
}

async function newestEntryAt(db: AlarmRoom["db"]): Promise<number> {
  const newest = db.selectFrom("audit_entry").select(({ fn }) => fn.max("occurred_at").as("at"));
  return (await newest.executeTakeFirst())?.at ?? 0;
}
