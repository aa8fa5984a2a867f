import type { Config } from "../config/read-config.ts";
import { checkKinds } from "../declare/check-kind.ts";
import {
  account,
  mendsMember,
  orNull,
  reference,
  richTextMember,
  sentence,
  state,
  type Tone,
  time,
} from "../declare/command/answer-schema.ts";
import type { Mend } from "../declare/command/mend.ts";
import type { RichText } from "../declare/command/rich-text.ts";
import Type, { type Static } from "../declare/schema/type.ts";
import type { WithClock } from "../storage/audited.ts";
import type { Db } from "../storage/tables.ts";
import { pauseMembers, vendorState } from "../verification/commands/vendor-states.ts";

/** Ranks of alarms, worst first. Rank 2 also covers the loss of evidence; rank 3 waits for a person. */
export const ranks = { 1: "stops the service", 2: "costs money", 3: "waits for somebody" } as const;
export type Rank = keyof typeof ranks;

/** The colour of a rank on every page. */
export const rankTones = { 1: "bad", 2: "warn", 3: "warn" } as const satisfies Record<Rank, Tone>;

/** A problem that an operator has to solve. */
export interface Alarm {
  /** The id of the problem, such as `vendor:dojah`. The name stays the same until the problem ends. */
  name: string;
  rank: Rank;
  /** One sentence without its full stop. */
  headline: RichText;
  /** Sentences: the reason, and what to do if no command solves the problem. May be empty. */
  detail: RichText;
  mends: readonly Mend[];
  /** How many things have this problem; null if there can be only one. */
  count: number | null;
  /** Start of the problem, in milliseconds since 1970; null if unknown. */
  since: number | null;
  /** The vendor, the account id and the key that the problem concerns. */
  vendor?: string;
  account?: string;
  key?: string;
  /** The person or process that caused the problem, and the time when the problem ends. */
  actor?: string;
  until?: number | null;
  /** True if the problem ends at `until` without any action. */
  endsByItself: boolean;
  /** Names of other alarms that report the same problem. Lists leave those alarms out. */
  covers: readonly string[];
  /** An event to expect soon, such as the end of a pause. Everyone who received the alarm is notified. */
  soon?: RichText | undefined;
  acknowledged: { by: string; until: number; note: string } | null;
}

export type OpenAlarm = Omit<Alarm, "acknowledged">;

export function newAlarm(
  name: string,
  rank: Rank,
  headline: RichText,
  { detail = [], ...more }: Partial<Omit<OpenAlarm, "name" | "rank" | "headline">> = {},
): OpenAlarm {
  return {
    name,
    rank,
    headline,
    detail,
    mends: [],
    count: null,
    since: null,
    endsByItself: false,
    covers: [],
    ...more,
  };
}

/** A row of the list of alarms. */
export const AlarmFacts = Type.Object({
  alarm: reference,
  rank: Type.Unsafe<Rank>({ type: "integer", shows: "state", words: ranks, tones: rankTones }),
  state: state(["open", "acknowledged", "ends_by_itself"], { words: { ends_by_itself: "ends by itself" } }),
  what: sentence,
  count: orNull(Type.Integer()),
  since: orNull(time),
  acknowledged_by: orNull(account),
  until: orNull(time),
  note: orNull(Type.String()),
  headline: richTextMember,
  detail: richTextMember,
  mends: mendsMember,
  vendor: orNull(Type.String()),
  account: orNull(account),
  account_id: orNull(Type.String()),
  key_id: orNull(reference),
  actor: orNull(account),
  ends: orNull(time),
  covers: Type.Array(reference, { description: "Alarms that it says too. They stand in no list meanwhile." }),
  runbook: orNull(
    Type.String({ description: "The section of RUNBOOK.md about it; with DUBA_RUNBOOK_URL its address." }),
  ),
});

export type AlarmFacts = Static<typeof AlarmFacts>;

/** The state of a catalogue source. Times are in milliseconds since 1970. */
export const SourceState = Type.Object({
  name: Type.String(),
  as_of: orNull(time),
  stale: Type.Boolean(),
  /** Pulls since the last successful one. */
  missed: Type.Integer(),
  begun_at: orNull(time),
  /** Milliseconds between two pulls. */
  every: Type.Integer(),
  result: orNull(Type.String()),
  /** The draft of the catalogue that waits for approval. */
  held: orNull(reference),
  remarks: Type.Integer({ description: "Sentences of the last pull, which `duba sources status` shows." }),
});
export type SourceState = Static<typeof SourceState>;

/** The answer of `duba status`. Times are in milliseconds since 1970. */
export const StatusFacts = Type.Object({
  version: Type.String(),
  node: Type.String({
    description: "The Node that reads this: of the service in its console, of the command line there.",
  }),
  store: Type.String(),
  takes_writes: Type.Boolean(),
  rehearsal: Type.Boolean({ description: "Live verifications are of people that stand-ins of vendors invented." }),
  room_left: orNull(Type.Integer({ description: "Bytes on the disk of SQLite. PostgreSQL does not tell." })),
  instances: Type.Integer(),
  revision: orNull(Type.Integer()),
  published_at: orNull(time),
  sources: Type.Array(Type.Omit(SourceState, ["begun_at", "every"])),
  held: Type.Array(Type.String()),
  scheduled: Type.Integer(),
  vendors: Type.Array(
    Type.Object({
      name: Type.String(),
      ready: Type.Boolean({ description: "Whether it serves every check." }),
      state: vendorState(),
      since: orNull(time),
      ...pauseMembers,
      paused: Type.Boolean({ description: "Whether it is paused for every check that it does." }),
      paused_checks: Type.Array(Type.Enum([...checkKinds])),
    }),
  ),
  unknown_verifications: Type.Integer(),
  oldest_unknown_at: orNull(time),
  unsealed_entries: Type.Integer(),
  dead_deliveries: Type.Integer(),
  last_backup_at: orNull(time),
  expiring_keys: Type.Array(Type.Object({ id: reference, account, label: Type.String(), expires_at: time })),
  needs: Type.Array(Type.String()),
  /** Names of the alarms that somebody has acknowledged. */
  acknowledged: Type.Array(Type.String()),
  alarms: Type.Array(AlarmFacts),
});

export type StatusFacts = Static<typeof StatusFacts>;

export interface FeatureHealth {
  alarms: readonly OpenAlarm[];
  sources?: readonly SourceState[];
}

export interface HealthRoom extends WithClock {
  db: Db;
  config: Config;
  /** Returns the health of each feature. */
  health: readonly TellHealth[];
}

/** Returns the alarms that are still open, acknowledged ones included. Alarms name accounts by id. */
export type OpenAlarms = (room: HealthRoom) => Promise<readonly Alarm[]>;

export type TellHealth = (room: HealthRoom) => Promise<FeatureHealth>;
