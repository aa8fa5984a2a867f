import type { AuditTrail } from "./audit/audit.ts";
import { unsealedEntries } from "./audit/unsealed-entries.ts";
import type { OpenCatalogue } from "./catalogue/catalogue.ts";
import { listWaiting } from "./catalogue/revisions/draft.ts";
import type { Config } from "./config/read-config.ts";
import { type Events, undelivered } from "./events/events.ts";
import type { AnswerCounts } from "./http/monitoring/answer-counts.ts";
import type { MetricSources } from "./http/monitoring/metrics.ts";
import type { Identity } from "./identity/identity.ts";
import { openVerifications } from "./identity/ledger/reports/open-verifications.ts";
import type { RequestRoom } from "./requests/request-log-room.ts";
import { lastBackupAt } from "./storage/backup/last-backup.ts";
import type { Pulse } from "./storage/pulse/pulse.ts";
import type { Store } from "./storage/store.ts";
import type { LiveUpstreams } from "./upstreams/open-vendors.ts";

export interface MeasuredParts {
  config: Config;
  store: Store;
  pulse: Pulse;
  answers: AnswerCounts;
  audit: AuditTrail;
  live: LiveUpstreams;
  catalogue: OpenCatalogue;
  identity: Identity;
  events: Events;
  requests: RequestRoom;
}

/** What the metrics of a process read of its rooms. */
export function measures(parts: MeasuredParts): MetricSources {
  const { config, store, pulse, answers, audit, live, catalogue, identity, events, requests } = parts;
  const { db, now, usage } = store;
  return {
    ...{ answers, usage, now },
    upstreams: () => live.upstreams.map((upstream) => ({ ...upstream.health(), calls: upstream.calls })),
    auditAlarms: () => audit.alarms(),
    failingJobs: () => pulse.failing(),
    catalogue: () => ({ ...catalogue.state(), source: catalogue.freshness }),
    stored: async () => ({
      openVerifications: await openVerifications(db),
      heldChanges: (await listWaiting(db)).filter(({ state }) => state === "held").length,
      unsealed: await unsealedEntries(db),
      lastBackupAt: await lastBackupAt(db),
      undelivered: await undelivered(db),
      alarms: await (await import("./commands/health/read-health.ts")).openAlarmNames({ db, now, config }),
    }),
    nearlySpent: () => identity.nearlySpent(),
    deliveries: () => events.counts,
    requestLog: () => requests.entries?.counts,
  };
}
