import type { Kysely } from "kysely";
import { codeOf } from "../storage/fault.ts";
import type { Tables } from "../storage/tables.ts";
import type { Ledger } from "./ledger.ts";
import type { Owners } from "./owners.ts";
import type { IdentityLog, IdentitySettings } from "./settings.ts";
import { type Swept, sweep } from "./sweep.ts";

const disownEvery = 5_000;
const sweepEvery = 60_000;

interface UpkeepParts {
  db: Kysely<Tables>;
  ledger: Ledger;
  owners: Owners;
  settings: IdentitySettings;
  log: IdentityLog;
  now: () => number;
  swept: ((removed: Swept) => void | Promise<void>) | undefined;
}

/** What goes on beside the requests: rows of owners that are gone become `unknown`, and retention is enforced. */
export function startUpkeep({ db, ledger, owners, settings, log, now, swept }: UpkeepParts) {
  const disowning = owners.areMany
    ? repeat(disownEvery, async () => {
        await ledger.disownAll(owners);
      })
    : undefined;
  const sweeping = repeat(sweepEvery, async () => {
    const removed = await sweep(db, { now: now(), recordRetention: settings.recordRetention });
    if (removed.records + removed.keys + removed.rows > 0) await swept?.(removed);
  });

  function repeat(milliseconds: number, work: () => Promise<void>) {
    let running: Promise<void> | undefined;
    const timer = setInterval(() => {
      running ??= work()
        .catch((error) => log.warn({ code: codeOf(error) }, "The upkeep of the ledger failed and is tried again"))
        .finally(() => {
          running = undefined;
        });
    }, milliseconds);
    timer.unref();
    return async () => {
      clearInterval(timer);
      await running;
    };
  }

  return {
    /** Resolves when nothing of it runs any more. */
    stop: async (): Promise<void> => {
      await Promise.all([disowning?.(), sweeping()]);
    },
  };
}
