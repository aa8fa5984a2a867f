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

const trailEvery = 1_000;
const disownEvery = 5_000;
const strayEvery = 5_000;
const sweepEvery = 60_000;
const lookUpEvery = 60_000;
/** One of so many sweeps reads all wrapped keys. */
const thoroughEvery = 60;

interface UpkeepParts {
  db: Kysely<Tables>;
  ledger: Ledger;
  leases: Leases;
  settings: IdentitySettings;
  log: Log;
  retentionClock: RetentionClock;
  audit: Audit;
  failOrphanedRows: () => Promise<void>;
  /** Looks up what became of verifications whose outcome is unknown. */
  lookUp: (signal: AbortSignal) => Promise<void>;
}

/**
 * What goes on beside the requests: outcomes are told to the audit trail, rows that nobody works on are ended,
 * retention is enforced, and unknown outcomes are looked up.
 */
export function startUpkeep({
  db,
  ledger,
  leases,
  settings,
  log,
  retentionClock,
  audit,
  failOrphanedRows,
  lookUp,
}: UpkeepParts) {
  const disowning = leases.hasPeers
    ? repeat(disownEvery, async () => {
        await ledger.abandonAll(leases);
      })
    : undefined;
  const ending = repeat(strayEvery, failOrphanedRows);
  let sweeps = 0;
  const sweeping = repeat(sweepEvery, async () => {
    const thorough = sweeps++ % thoroughEvery === 0;
    const { recordRetention } = settings;
    const now = await retentionClock.next();
    if (now === undefined) return;
    const { records, keys, rows } = await applyRetention(db, { now, recordRetention, thorough });
    await retentionClock.done(now);
    if (records + keys + rows > 0)
      await audit(db, { kind: "retention.swept", actor: "system", facts: { records, keys, verifications: rows } });
    await emptyLog(db);
  });

  const telling = repeat(trailEvery, async () => {
    await drainAuditOutbox(db, audit);
  });

  const stopping = new AbortController();
  const lookingUp = repeat(lookUpEvery, async () => {
    if (await leases.isLeader()) await lookUp(stopping.signal);
  });

  function repeat(milliseconds: number, work: () => Promise<void>) {
    const failed = (error: unknown) =>
      log.warn({ code: codeOf(error) }, "The upkeep of the ledger failed and is tried again");
    return every(milliseconds, work, failed).stop;
  }

  return {
    /** Resolves when nothing of it runs any more. */
    stop: async (): Promise<void> => {
      stopping.abort();
      await Promise.all([lookingUp(), disowning?.(), ending(), sweeping(), telling()]);
    },
  };
}
