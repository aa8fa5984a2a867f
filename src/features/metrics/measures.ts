import { unsealedEntries } from "../../audit/read.ts";
import { listWaiting } from "../../catalogue/revisions/draft.ts";
import type { ServingCore } from "../../commands/feature.ts";
import { openVerifications } from "../../ledger/reports/open-verifications.ts";
import { undelivered } from "../../storage/events/undelivered.ts";
import { lastBackupAt } from "../../storage/last-backup.ts";
import { vendorStandings } from "../../verification/routes/vendor-standing.ts";
import type { MetricSources } from "./metrics.ts";

/** What the metrics of a process read of its rooms. */
export function measures(core: ServingCore): MetricSources {
  const { config, health, store, answers, auditAlarms, upstreams, failingJobs, catalogue, identity, opened } = core;
  const { db, now, usage } = store;
  return {
    answers,
    usage,
    now,
    upstreams: () =>
      upstreams.map((upstream) => ({
        ...upstream.health(),
        attempts: upstream.attempts,
        paused: upstream.kinds.filter((kind) => identity.isPaused(upstream.name, kind)),
      })),
    auditAlarms,
    failingJobs,
    catalogue: () => ({ ...catalogue.state(), sources: catalogue.freshness }),
    stored: async () => ({
      openVerifications: await openVerifications(db),
      heldChanges: (await listWaiting(db)).filter(({ state }) => state === "held").length,
      unsealed: await unsealedEntries(db),
      lastBackupAt: await lastBackupAt(db),
      vendors: await vendorStandings(db, now(), config.vendorPrices),
      undelivered: await undelivered(db),
      alarms: (await core.openAlarms({ db, now, config, health })).map(({ name }) => name),
    }),
    nearlySpent: () => identity.nearlySpent(),
    ofFeatures: opened.flatMap(({ metrics }) => metrics ?? []),
  };
}
