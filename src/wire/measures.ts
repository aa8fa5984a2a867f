import { unsealedEntries } from "../audit/read.ts";
import { listWaiting } from "../catalogue/revisions/draft.ts";
import type { Config } from "../config/read-config.ts";
import { undelivered } from "../events/events.ts";
import type { MetricSources } from "../http/monitoring/metrics.ts";
import type { ResponseCounts } from "../http/monitoring/response-counts.ts";
import { openVerifications } from "../identity/ledger/reports/open-verifications.ts";
import { vendorStandings } from "../identity/routes/vendor-standing.ts";
import { lastBackupAt } from "../storage/backup/last-backup.ts";
import type { Rooms } from "./rooms.ts";

export interface MeasuredParts extends Rooms {
  config: Config;
  answers: ResponseCounts;
}

/** What the metrics of a process read of its rooms. */
export function measures(parts: MeasuredParts): MetricSources {
  const { config, store, pulse, answers, audit, live, catalogue, identity, events, requests } = parts;
  const { db, now, usage } = store;
  return {
    ...{ answers, usage, now },
    upstreams: () =>
      live.upstreams.map((upstream) => ({
        ...{ ...upstream.health(), attempts: upstream.attempts },
        paused: upstream.kinds.filter((kind) => identity.isPaused(upstream.name, kind)),
      })),
    auditAlarms: () => audit.alarms(),
    failingJobs: () => pulse.failing(),
    catalogue: () => ({ ...catalogue.state(), sources: catalogue.freshness }),
    stored: async () => ({
      openVerifications: await openVerifications(db),
      heldChanges: (await listWaiting(db)).filter(({ state }) => state === "held").length,
      unsealed: await unsealedEntries(db),
      lastBackupAt: await lastBackupAt(db),
      vendors: await vendorStandings(db, now(), config.vendorPrices),
      undelivered: await undelivered(db),
      alarms: await (await import("../commands/health/read-health.ts")).openAlarmNames({ db, now, config }),
    }),
    nearlySpent: () => identity.nearlySpent(),
    deliveries: () => events.counts,
    requestLog: () => requests.entries?.counts,
  };
}
