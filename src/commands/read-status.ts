import { resolve } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { type ApiKey, listKeys } from "../access/keys/keys.ts";
import { unsealedEntries } from "../audit/unsealed-entries.ts";
import { draftName, listWaiting } from "../catalogue/revisions/draft.ts";
import { listRevisions } from "../catalogue/revisions/load.ts";
import { ageOf, readSync } from "../catalogue/sync/record.ts";
import { openVerifications } from "../identity/ledger/reports/open-verifications.ts";
import { upstreamStatus } from "../identity/upstream-status.ts";
import { isoOf } from "../operation/command/answer-schema.ts";
import { lastBackupAt } from "../storage/backup/last-backup.ts";
import { isServed } from "../storage/sqlite/data-directory.ts";
import type { Desk } from "./desk.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** How long before its end a key is named. */
const soon = 14 * day;
/** Then an operator should look. */
const limits = { unknown: hour, unsealed: minute, backup: 7 * day };

type Room = Pick<Desk, "db" | "now" | "config" | "accounts">;

/** How the service is, for `duba status`. `needs` has a sentence for each thing that needs a hand. */
export async function readStatus(room: Room) {
  const { db, config } = room;
  const now = room.now();
  const [[newest], waiting, vendors, open, unsealed, backupAt, keys, instances, source] = await Promise.all([
    listRevisions(db, 1),
    listWaiting(db),
    upstreamStatus(db, now),
    openVerifications(db),
    unsealedEntries(db),
    lastBackupAt(db),
    listKeys(db),
    servingInstances(room),
    sourceAge(room),
  ]);
  // Of live keys: the sandbox has a number whose outcome is always unknown.
  const unknown = open.find(({ mode, state }) => mode === "live" && state === "unknown") ?? { count: 0, since: null };
  const held = waiting.filter(({ state }) => state === "held").map(draftName);
  const emails = await room.accounts.emails();
  const ending = keys
    .filter((key) => isEnding(key, keys, now))
    .map(({ id, accountId, label, expiresAt }) => ({
      id,
      account: emails(accountId),
      label,
      expires_at: isoOf(expiresAt!),
    }));
  const liveKeys = keys.filter(({ mode, revokedAt }) => mode === "live" && revokedAt === null).length;
  const isLate = (at: number | null, after: number) => at !== null && now - at > after;
  const seen = [...Map.groupBy(vendors, ({ name }) => name)].map(([name, views]) => ({
    name,
    ready: views.every(({ state, alarm }) => state === "ready" && alarm === null),
  }));
  const needs = [
    ...(instances === 0 ? ["No instance serves this store. Start one: duba serve"] : []),
    ...(held.length > 0
      ? [`Changes of the catalogue wait for approval: ${held.join(", ")}. See them: duba catalogue show ${held[0]}`]
      : []),
    ...(source?.stale
      ? [`The catalogue is stale: ${source.name} gave nothing new in time. See why: duba sources status`]
      : []),
    ...seen
      .filter(({ ready }) => !ready)
      .map(({ name }) => `The vendor ${name} is not ready or has an alarm. See why: duba upstreams status`),
    ...(isLate(unknown.since, limits.unknown)
      ? ["Live verifications have no known outcome for more than an hour. See them: duba ledger list --state unknown"]
      : []),
    ...(instances > 0 && isLate(unsealed.oldest, limits.unsealed)
      ? ["Audit entries wait for their seal for more than a minute. Read the log of the service."]
      : []),
    ...(liveKeys > 0 && !config.databaseUrl && (backupAt === null || isLate(backupAt, limits.backup))
      ? [
          `${backupAt === null ? "There is no backup yet" : "The last backup is older than 7 days"}. Make one: duba backup <file>`,
        ]
      : []),
    ...ending.map(
      ({ id, account, expires_at }) =>
        `The key ${id} of ${account} ends ${expires_at.slice(0, 10)}. Replace it: duba keys roll ${id}`,
    ),
  ];
  return {
    version: manifest.version,
    store: storeName(config),
    instances,
    revision: newest?.number ?? null,
    published_at: isoOf(newest?.created_at ?? null),
    source,
    held,
    scheduled: waiting.length - held.length,
    vendors: seen,
    unknown_verifications: unknown.count,
    oldest_unknown_at: isoOf(unknown.since),
    unsealed_entries: unsealed.count,
    last_backup_at: isoOf(backupAt),
    expiring_keys: ending,
    needs,
  };
}

/** Without user and password. */
function storeName({ databaseUrl, dataDirectory }: Room["config"]): string {
  if (!databaseUrl) return `SQLite in ${resolve(dataDirectory)}`;
  const { host, pathname } = new URL(databaseUrl);
  return `PostgreSQL at ${host || "localhost"}, database ${pathname.slice(1)}`;
}

async function servingInstances({ db, now, config }: Room): Promise<number> {
  if (!config.databaseUrl) return isServed(config.dataDirectory) ? 1 : 0;
  const { count } = await db
    .selectFrom("verification_owner")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("expires_at", ">", now())
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function sourceAge({ db, now, config }: Room) {
  const { source, staleAfter } = config.pull;
  if (source === "") return null;
  const { asOf, isStale } = ageOf(await readSync(db, source), now(), staleAfter);
  return { name: source, as_of: isoOf(asOf), stale: isStale };
}

/** Whether a key ends soon and no later key of the account, as `keys roll` makes one, takes its place. */
function isEnding(
  { accountId, mode, label, createdAt, expiresAt, revokedAt }: ApiKey,
  all: readonly ApiKey[],
  now: number,
) {
  if (revokedAt !== null || expiresAt === null || expiresAt <= now || expiresAt > now + soon) return false;
  return !all.some(
    (key) =>
      key.accountId === accountId &&
      key.mode === mode &&
      key.label === label &&
      key.createdAt > createdAt &&
      key.revokedAt === null &&
      (key.expiresAt ?? Number.POSITIVE_INFINITY) > expiresAt,
  );
}
