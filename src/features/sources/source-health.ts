import type { FeatureHealth, HealthRoom, SourceState } from "../../commands/alarm.ts";
import { mend, newAlarm } from "../../commands/alarm.ts";
import { richText } from "../../declare/command/rich-text.ts";
import { sourceStates } from "./sync/source-states.ts";
import { pullOf } from "./sync/sync-settings.ts";

/** So many pulls in a row may miss. */
const mostMissed = 3;

/** How the sources are, and which are late. */
export async function sourceHealth({ db, now, config }: HealthRoom): Promise<FeatureHealth> {
  const sources = await sourceStates(db, now(), pullOf(config));
  return { sources, alarms: sources.filter((source) => isLate(source, now())).map(lateAlarm) };
}

/** A source whose first pull has not ended is not late, unless that takes as long as a late pull. */
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
