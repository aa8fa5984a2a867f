import type { Kysely } from "kysely";
import { every } from "../runtime/every.ts";
import type { Log } from "../runtime/log.ts";
import type { Audit } from "../storage/audited.ts";
import { codeOf } from "../storage/errors.ts";
import { emptyLog } from "../storage/sqlite/empty-log.ts";
import type { Tables } from "../storage/tables.ts";
import { drainAuditOutbox } from "./ledger/audit-outbox.ts";
import type { Leases } from "./ledger/leases.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { applyRetention } from "./ledger/retention.ts";
import type { RetentionClock } from "./ledger/retention-clock.ts";
import type { IdentitySettings } from "./settings.ts";

const outboxEvery = 1_000;
const abandonEvery = 5_000;
const orphanEvery = 5_000;
const retentionEvery = 60_000;
const lookUpEvery = 60_000;
/** One of this many retention runs reads all wrapped keys. */
const thoroughEvery = 60;

interface BackgroundParts {
  db: Kysely<Tables>;
  ledger: Ledger;
  leases: Leases;
  settings: IdentitySettings;
  log: Log;
  retentionClock: RetentionClock;
  audit: Audit;
  failOrphanedRows: () => Promise<void>;
  /** Looks up verifications whose outcome is unknown. */
  lookUp: (signal: AbortSignal) => Promise<void>;
}

/**
 * Runs the periodic jobs: outcomes go to the audit trail, rows without an owner end, retention removes old data, and
 * unknown outcomes are looked up.
 */
export function startBackgroundJobs({
  db,
  ledger,
  leases,
  settings,
  log,
  retentionClock,
  audit,
  failOrphanedRows,
  lookUp,
}: BackgroundParts) {
  const abandoning = leases.hasPeers
    ? repeat(abandonEvery, async () => {
        await ledger.abandonAll(leases);
      })
    : undefined;
  const failingOrphans = repeat(orphanEvery, failOrphanedRows);
  let runs = 0;
  const removing = repeat(retentionEvery, async () => {
    const thorough = runs++ % thoroughEvery === 0;
    const { recordRetention } = settings;
    const now = await retentionClock.next();
    if (now === undefined) return;
    const { records, keys, rows } = await applyRetention(db, { now, recordRetention, thorough });
    await retentionClock.done(now);
    if (records + keys + rows > 0)
      await audit(db, { kind: "retention.swept", actor: "system", facts: { records, keys, verifications: rows } });
    await emptyLog(db);
  });

  const draining = repeat(outboxEvery, async () => {
    await drainAuditOutbox(db, audit);
  });

  const stopping = new AbortController();
  const lookingUp = repeat(lookUpEvery, async () => {
    if (await leases.isLeader()) await lookUp(stopping.signal);
  });

  function repeat(milliseconds: number, work: () => Promise<void>) {
    const failed = (error: unknown) =>
      log.warn({ code: codeOf(error) }, "A background job of the ledger failed and is tried again");
    return every(milliseconds, work, failed).stop;
  }

  return {
    /** Resolves when no job runs any more. */
    stop: async (): Promise<void> => {
      stopping.abort();
      await Promise.all([lookingUp(), abandoning?.(), failingOrphans(), removing(), draining()]);
    },
  };
}
