import type { Kysely } from "kysely";
import type { Log } from "../../runtime/log.ts";
import { reportingNewFailures } from "../../runtime/reporting-new-failures.ts";
import type { Audit } from "../audited.ts";
import { codeOf } from "../errors.ts";
import { emptyLog } from "../sqlite/empty-log.ts";
import { storeTrail } from "../store-trail.ts";
import type { Tables } from "../tables.ts";
import type { RetentionClock } from "./retention-clock.ts";
import { minutely, type RetentionRule, removeBatches } from "./retention-rule.ts";

export interface SweepParts {
  db: Kysely<Tables>;
  clock: RetentionClock;
  rules: readonly RetentionRule[];
  audit: Audit;
  log: Log;
}

/**
 * Returns a function that applies rules in order, each at its interval and only while the clock is trusted. Call it
 * once a minute, in one process at a time. An abort ends it after the current batch. A failed rule is retried at the
 * next call, and does not stop other rules.
 */
export function sweeper({ db, clock, rules, audit, log }: SweepParts): (signal: AbortSignal) => Promise<void> {
  let sums: Record<string, number> = {};
  let run = 0;
  const jobs = rules.map((rule) => {
    let due = 0;
    const apply = async (now: number, signal: AbortSignal) => {
      await removeBatches(db, rule, await rule.kept(now, db), rule.isAudited ? sums : {}, signal);
      due = run + rule.every / minutely;
    };
    return reportingNewFailures(
      async (signal: AbortSignal) => {
        const now = clock.timeFor(rule);
        if (now !== undefined && run >= due && !signal.aborted) await apply(now, signal);
      },
      (error) => codeOf(error) ?? String(error),
      (reason) => log.warn({ rule: rule.name, reason }, "What is old could not be removed; this is tried again"),
    );
  });
  return async (signal) => {
    sums = {};
    for (const job of jobs) await job.run(signal);
    run += 1;
    if (Object.values(sums).some((count) => count > 0)) await audit(db, storeTrail.retentionSwept("system", sums));
    await emptyLog(db);
  };
}
