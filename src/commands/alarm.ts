import type { Config } from "../config/read-config.ts";
import { orNull, reference, time } from "../declare/command/answer-schema.ts";
import type { Mend, RichText } from "../declare/command/rich-text.ts";
import Type, { type Static } from "../declare/schema/type.ts";
import type { WithClock } from "../storage/audited.ts";
import type { Db } from "../storage/tables.ts";

/** What an alarm hits: 1 stops the service, 2 costs money or evidence, 3 waits for somebody. */
export const ranks = { 1: "stops the service", 2: "costs money", 3: "waits for somebody" } as const;
export type Rank = keyof typeof ranks;

/** Something that needs a hand. */
export interface Alarm {
  /** What it is about, such as `vendor:dojah`: the same as long as it lasts. */
  name: string;
  rank: Rank;
  /** What is wrong, as a sentence without its dot. */
  headline: RichText;
  /** Why, and what to do where no command does it: sentences, or nothing. */
  detail: RichText;
  mends: readonly Mend[];
  /** How many, where there may be several. */
  count: number | null;
  /** Since when, in milliseconds since 1970, where that is known. */
  since: number | null;
  /** The vendor, the account by its id, and the key that it is about. */
  vendor?: string;
  account?: string;
  key?: string;
  /** Who made it so, and until when. */
  actor?: string;
  until?: number | null;
  /** What is about to happen, such as the end of a pause. It goes to everyone who got the alarm. */
  soon?: RichText | undefined;
  acknowledged: { by: string; until: number; note: string } | null;
}

/** An alarm, before anybody has acknowledged it. */
export type OpenAlarm = Omit<Alarm, "acknowledged">;

export function newAlarm(
  name: string,
  rank: Rank,
  headline: RichText,
  { detail = [], ...more }: Partial<Omit<OpenAlarm, "name" | "rank" | "headline">> = {},
): OpenAlarm {
  return { name, rank, headline, detail, mends: [], count: null, since: null, ...more };
}

export function mend(says: string | RichText, command: string, input: Mend["input"] = {}): Mend {
  return { says: typeof says === "string" ? [says] : says, command, input };
}

/** The state of a source that the catalogue follows. Times are milliseconds since 1970. */
export const SourceState = Type.Object({
  name: Type.String(),
  as_of: orNull(time),
  stale: Type.Boolean(),
  /** Pulls since the last good one. */
  missed: Type.Integer(),
  begun_at: orNull(time),
  /** Milliseconds between two pulls. */
  every: Type.Integer(),
  result: orNull(Type.String()),
  /** The draft that waits for approval. */
  held: orNull(reference),
  remarks: Type.Integer({ description: "Sentences of the last pull, which `duba sources status` shows." }),
});
export type SourceState = Static<typeof SourceState>;

/** How a feature is, and what of it needs a hand. */
export interface FeatureHealth {
  alarms: readonly OpenAlarm[];
  sources?: readonly SourceState[];
}

export interface HealthRoom extends WithClock {
  db: Db;
  config: Config;
}

export type TellHealth = (room: HealthRoom) => Promise<FeatureHealth>;
