import { orNull, reference, time } from "../../declare/command/answer-schema.ts";
import Type, { type Static } from "../../declare/schema/type.ts";
import type { Db } from "../../storage/tables.ts";
import { ageOf, isHeld, readSync } from "./record.ts";
import { type FollowedSource, followTimes } from "./sync-settings.ts";

/** The state of a followed source. Times are milliseconds since 1970. */
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
