import { hourly, minutely, type RetentionRule, rowsBefore } from "../retention/retention-rule.ts";
import { allTables } from "../tables.ts";
import { table } from "./declared-table.ts";

const day = 24 * hourly;
const requestsKept = 7 * day;
/** About 250 MB with indexes. */
const mostRows = 1_000_000;

export const requestTables = {
  api_request: table({
    columns: allTables.api_request,
    personal: [
      {
        what: "the request that asked for it: id, time, duration, result, reference, which parameters were wrong",
        columns: ["request_id", "written_at", "duration", "status", "code", "reference", "wrong"],
        kept: "yes",
        how: "plain, without anything that was sent",
        until: `${requestsKept / day} days (\`DUBA_REQUEST_LOG\`)`,
        isErased: false,
      },
    ],
    retention: ({ requestLog = requestsKept }) => requestRules(requestLog),
    backup: "none",
  }),
};

/**
 * Rules that keep entries for `keptFor` milliseconds, and at most `most` of them. Null: the log is off, so all entries
 * are deleted.
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
