import { endingKeys } from "../access/keys/ending.ts";
import { listKeys } from "../access/keys/keys.ts";
import { unsealedEntries } from "../audit/unsealed-entries.ts";
import { draftName, listWaiting } from "../catalogue/revisions/draft.ts";
import { ageOf, readSync } from "../catalogue/sync/record.ts";
import { undelivered } from "../events/events.ts";
import { openVerifications } from "../identity/ledger/reports/open-verifications.ts";
import { nearlySpentAccounts } from "../identity/spending/spending-watch.ts";
import { upstreamStatus } from "../identity/upstream-status.ts";
import { isoOf } from "../operation/command/answer-schema.ts";
import { lastBackupAt } from "../storage/backup/last-backup.ts";
import { isServed } from "../storage/sqlite/data-directory.ts";
import type { Desk } from "./desk.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** Then an operator should look. */
const limits = { unknown: hour, unsealed: minute, backup: 7 * day };

export type AlarmRoom = Pick<Desk, "db" | "now" | "config" | "accounts">;

/** Something that needs a hand. */
export interface Alarm {
  /** What it is about, such as `vendor:dojah`: the same as long as it lasts. */
  name: string;
  /** Says what is wrong, and what to do. */
  what: string;
  acknowledged: { by: string; until: number; note: string } | null;
}

/** How the service is, and what needs a hand. Times are milliseconds since 1970. */
export async function readHealth(room: AlarmRoom) {
  const facts = await readFacts(room);
  const now = room.now();
  return { ...facts, alarms: await withAcknowledgements(room.db, alarmsOf(facts, now), now) };
}

async function readFacts(room: AlarmRoom) {
  const { db, config } = room;
  const now = room.now();
  const [waiting, views, open, unsealed, backupAt, keys, ends, instances, source, spent, emails, { dead }] =
    await Promise.all([
      listWaiting(db),
      upstreamStatus(db, now),
      openVerifications(db),
      unsealedEntries(db),
      lastBackupAt(db),
      listKeys(db),
      endingKeys(db, now),
      servingInstances(room),
      sourceAge(room),
      nearlySpentAccounts(db, config.timeZone.monthOf(now)),
      room.accounts.emails(),
      undelivered(db),
    ]);
  return {
    instances,
    source,
    held: waiting.filter(({ state }) => state === "held").map(draftName),
    scheduled: waiting.filter(({ state }) => state === "scheduled").length,
    vendors: [...Map.groupBy(views, ({ name }) => name)].map(([name, seen]) => ({
      name,
      ready: seen.every(({ state, alarm }) => state === "ready" && alarm === null),
    })),
    // Of live keys: the sandbox has a number whose outcome is always unknown.
    unknown: open.find(({ mode, state }) => mode === "live" && state === "unknown") ?? { count: 0, since: null },
    unsealed,
    backupAt,
    needsBackup: !config.databaseUrl && keys.some(({ mode, revokedAt }) => mode === "live" && revokedAt === null),
    ending: ends.map(({ id, accountId, label, expiresAt }) => ({
      ...{ id, account: emails(accountId), label },
      expires_at: isoOf(expiresAt),
    })),
    dead,
    spent: spent.map((account) => ({ account, email: emails(account) })),
  };
}

function alarmsOf(facts: Awaited<ReturnType<typeof readFacts>>, now: number): Omit<Alarm, "acknowledged">[] {
  const { instances, source, held, vendors, unknown, unsealed, backupAt, needsBackup, ending, dead, spent } = facts;
  const isLate = (at: number | null, after: number) => at !== null && now - at > after;
  const alarms: [name: string, what: string | false][] = [
    ["no-instance", instances === 0 && "No instance serves this store. Start one: duba serve"],
    ...held.map((draft): [string, string] => [
      `held:${draft}`,
      `The change ${draft} of the catalogue waits for approval. See it: duba catalogue show ${draft}`,
    ]),
    [
      "source",
      source?.stale === true &&
        `The catalogue is stale: ${source.name} gave nothing new in time. See why: duba sources status`,
    ],
    ...vendors
      .filter(({ ready }) => !ready)
      .map(({ name }): [string, string] => [
        `vendor:${name}`,
        `The vendor ${name} is not ready or has an alarm. See why: duba upstreams status`,
      ]),
    [
      "unknown",
      isLate(unknown.since, limits.unknown) &&
        "Live verifications have no known outcome for more than an hour. See them: duba ledger list --state unknown",
    ],
    [
      "unsealed",
      instances > 0 &&
        isLate(unsealed.oldest, limits.unsealed) &&
        "Audit entries wait for their seal for more than a minute. Read the log of the service.",
    ],
    [
      "dead-events",
      dead > 0 &&
        "Duba gave up on events for an endpoint. See them: duba events list --state dead. Send them again: duba events resend",
    ],
    [
      "backup",
      needsBackup &&
        (backupAt === null || isLate(backupAt, limits.backup)) &&
        `${backupAt === null ? "There is no backup yet" : "The last backup is older than 7 days"}. Make one: duba backup <file>`,
    ],
    ...ending.map(({ id, account, expires_at }): [string, string] => [
      `key:${id}`,
      `The key ${id} of ${account} ends ${expires_at.slice(0, 10)}. Replace it: duba keys roll ${id}`,
    ]),
    ...spent.map(({ account, email }): [string, string] => [
      `spent:${account}`,
      `${email} has used 80 % of its cap, or of its last top-up. See it: duba accounts show ${email}`,
    ]),
  ];
  return alarms.flatMap(([name, what]) => (what === false ? [] : [{ name, what }]));
}

async function withAcknowledgements(
  db: AlarmRoom["db"],
  alarms: readonly Omit<Alarm, "acknowledged">[],
  now: number,
): Promise<Alarm[]> {
  const rows = await db.selectFrom("alarm_acknowledgement").selectAll().where("until", ">", now).execute();
  const byName = new Map(rows.map(({ name, actor, until, note }) => [name, { by: actor, until, note }]));
  return alarms.map((alarm) => ({ ...alarm, acknowledged: byName.get(alarm.name) ?? null }));
}

async function servingInstances({ db, now, config }: AlarmRoom): Promise<number> {
  if (!config.databaseUrl) return isServed(config.dataDirectory) ? 1 : 0;
  const { count } = await db
    .selectFrom("verification_owner")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("expires_at", ">", now())
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function sourceAge({ db, now, config }: AlarmRoom) {
  const { source, staleAfter } = config.pull;
  if (source === "") return null;
  const { asOf, isStale } = ageOf(await readSync(db, source), now(), staleAfter);
  return { name: source, as_of: isoOf(asOf), stale: isStale };
}
