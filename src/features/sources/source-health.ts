import { type FeatureHealth, type HealthRoom, newAlarm, type SourceState } from "../../commands/alarm.ts";
import { mend } from "../../declare/command/mend.ts";
import { richText } from "../../declare/command/rich-text.ts";
import type { Db } from "../../storage/tables.ts";
import { ageOf, isHeld, readSync } from "./sync/record.ts";
import { type FollowedSource, followTimes, pullOf } from "./sync/sync-settings.ts";

/** After this many missed pulls in a row, a source is late. */
const mostMissed = 3;

/** Reports the state of each source, and which sources are late. */
export async function sourceHealth({ db, now, config }: HealthRoom): Promise<FeatureHealth> {
  const sources = await sourceStates(db, now(), pullOf(config));
  return { sources, alarms: sources.filter((source) => isLate(source, now())).map(lateAlarm) };
}

/** Whether a source is late. A running first pull is not late, unless it takes as long as a late pull. */
function isLate({ stale, missed, result, begun_at, every }: SourceState, now: number): boolean {
  if (result === null) return (begun_at ?? 0) > 0 && now - begun_at! >= mostMissed * every;
  return stale || missed >= mostMissed;
}

export function lateAlarm({ name, stale, missed, as_of, begun_at }: SourceState) {
  const late = richText`The catalogue ${stale ? "is stale" : `missed ${missed} pulls`}: ${{ vendor: name }} gave nothing new in time`;
  const headline = as_of === null ? richText`The source ${{ vendor: name }} has given no lists yet` : late;
  return newAlarm(`source:${name}`, 2, headline, {
    mends: [mend("See why", "sources.status")],
    since: as_of ?? begun_at,
    count: missed || null,
    vendor: name,
  });
}

/** The states of all followed sources. */
export function sourceStates(
  db: Db,
  now: number,
  wanted: { sources: readonly FollowedSource[]; every: number; staleAfter: number },
): Promise<SourceState[]> {
  return Promise.all(
    wanted.sources.map(async ({ name }) => {
      const { every, staleAfter } = followTimes(name, wanted);
      const pull = await readSync(db, name);
      const { asOf, isStale } = ageOf(pull, now, staleAfter);
      return {
        name,
        as_of: asOf,
        stale: isStale,
        every,
        begun_at: pull?.begun_at ?? null,
        result: pull?.result ?? null,
        missed: pull?.succeeded_at == null ? 0 : Math.floor((now - pull.succeeded_at) / every),
        held: pull && (await isHeld(db, pull.draft)) ? `d${pull.draft}` : null,
        remarks: pull ? (JSON.parse(pull.sentences) as string[]).length : 0,
      };
    }),
  );
}
