import type { Kysely } from "kysely";
import { every, type Periodic, reportingNewFailures } from "../../runtime/every.ts";
import type { Log } from "../../runtime/log.ts";
import type { Audit } from "../audited.ts";
import { codeOf } from "../errors.ts";
import { emptyLog } from "../sqlite/empty-log.ts";
import type { Tables } from "../tables.ts";
import type { RetentionClock } from "./retention-clock.ts";
import { minutely, type RetentionRule, removeBatches } from "./retention-rule.ts";

export interface SweepParts {
  db: Kysely<Tables>;
  clock: RetentionClock;
  rules: readonly RetentionRule[];
  /** Whether this process is the one that sweeps. */
  isLeader: () => Promise<boolean>;
  audit: Audit;
  log: Log;
}

/**
 * Applies the rules, in their order, as far as the clock is trusted: each a minute after the start, then as often as it says. A rule that
 * fails is tried again each minute, and stops no other. `run` does now what each minute does. `stop` resolves when the batch under way
 * is done.
 */
export function startSweeping({ db, clock, rules, isLeader, audit, log }: SweepParts): Pick<Periodic, "run" | "stop"> {
  const stopping = new AbortController();
  let sums: Record<string, number> = {};
  let run = 0;
  const jobs = rules.map((rule) => {
    let due = 0;
    const apply = async (now: number) => {
      await removeBatches(db, rule, await rule.kept(now, db), rule.isAudited ? sums : {}, stopping.signal);
      due = run + rule.every / minutely;
    };
    const job = reportingNewFailures(
      async () => {
        const now = clock.timeFor(rule);
        if (now !== undefined && run >= due) await apply(now);
      },
      (error) => codeOf(error) ?? String(error),
      (reason) => log.warn({ rule: rule.name, reason }, "What is old could not be removed; this is tried again"),
    );
    return job.run;
  });
  // On its own, so that time goes on while much is removed.
  const ticking = every(minutely, async () => clock.tick(await isLeader()));
  const sweeping = every(
    minutely,
    async () => {
      await ticking.run();
      if (!(await isLeader())) return;
      sums = {};
      for (const job of jobs) if (!stopping.signal.aborted) await job();
      run += 1;
      if (Object.values(sums).some((count) => count > 0))
        await audit(db, { kind: "retention.swept", actor: "system", facts: sums });
      await emptyLog(db);
    },
    (error) => log.warn({ code: codeOf(error) }, "The sweep of what is old failed and is tried again"),
  );
  return {
    run: sweeping.run,
    async stop() {
      stopping.abort();
      await sweeping.stop();
      await ticking.stop();
    },
  };
}
