import { resolve } from "node:path";
import { listRevisions } from "../../catalogue/revisions/load.ts";
import { nodeRisk } from "../../runtime/node-risk.ts";
import { version } from "../../runtime/version.ts";
import { pauseFacts, stateIn } from "../../verification/commands/vendor-states.ts";
import { isRehearsal } from "../../verification/stand-in-store.ts";
import { alarmFacts } from "./alarm-commands.ts";
import type { AlarmRoom } from "./health-facts.ts";
import { needsHand, readHealth } from "./read-health.ts";
import { type WritingRoom, writtenAlarms } from "./written-alarms.ts";

/** The answer of `duba status`. `needs`: one text for each problem. */
export async function readStatus(room: WritingRoom) {
  const [[newest], health, rehearsal] = await Promise.all([
    listRevisions(room.db, 1),
    readHealth(room),
    isRehearsal(room.db),
  ]);
  const { instances, sources, held, scheduled, vendors, unknown } = health;
  const alarms = await writtenAlarms(health.alarms, room);
  return {
    version,
    node: process.versions.node,
    store: storeName(room.config),
    takes_writes: health.takesWrites,
    rehearsal,
    room_left: health.roomLeft,
    instances,
    revision: newest?.number ?? null,
    published_at: newest?.created_at ?? null,
    sources,
    held: held.map(({ draft }) => draft),
    scheduled,
    vendors: vendors.map(({ name, ready, worst, paused, isPaused }) => ({
      name,
      ready,
      state: stateIn(health.takesWrites, worst.state),
      since: worst.since,
      ...pauseFacts(paused[0]?.pause),
      paused: isPaused,
      paused_checks: paused.map(({ kind }) => kind),
    })),
    unknown_verifications: unknown.count,
    oldest_unknown_at: unknown.since,
    unsealed_entries: health.unsealed.count,
    dead_deliveries: health.dead,
    last_backup_at: health.backupAt,
    expiring_keys: health.ending,
    needs: [nodeRisk() ?? [], alarms.filter(needsHand).map(({ what }) => what)].flat(),
    acknowledged: alarms.filter(({ acknowledged }) => acknowledged !== null).map(({ name }) => name),
    alarms: alarms.map(alarmFacts),
  };
}

/** Omits user and password. */
function storeName({ databaseUrl, dataDirectory }: AlarmRoom["config"]): string {
  if (!databaseUrl) return `SQLite in ${resolve(dataDirectory)}`;
  const { host, pathname } = new URL(databaseUrl);
  return `PostgreSQL at ${host || "localhost"}, database ${pathname.slice(1)}`;
}
