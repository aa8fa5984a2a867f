import { minutely, type RetentionRule, rowsBefore } from "./retention-rule.ts";

/** About 250 MB, with its indexes. */
const mostRows = 1_000_000;

/**
 * Entries are kept for `keptFor` milliseconds, and no more of them than `most`. Null: the log is off, and all of them
 * go.
 */
export function requestRules(keptFor: number | null, most = mostRows): readonly RetentionRule[] {
  return [
    rowsBefore("api_request", "written_at", {
      every: 10 * minutely,
      kept: (now, db) =>
        db.transaction().execute(async (trx) => {
          const newest = trx.selectFrom("api_request").select("written_at").orderBy("written_at", "desc");
          const last = await newest
            .offset(most - 1)
            .limit(1)
            .executeTakeFirst();
          return Math.max(now - (keptFor ?? 0), last?.written_at ?? 0);
        }),
    }),
  ];
}
