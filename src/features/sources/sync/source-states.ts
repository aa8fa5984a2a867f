import type { SourceState } from "../../../commands/alarm.ts";
import type { Db } from "../../../storage/tables.ts";
import { ageOf, isHeld, readSync } from "./record.ts";
import { type FollowedSource, followTimes } from "./sync-settings.ts";

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
