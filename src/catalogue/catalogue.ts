import type { Kysely } from "kysely";
import type { ReadyAnswer } from "../contract/ready.ts";
import type { Tables } from "../storage/tables.ts";
import { Answers } from "./answers.ts";
import { readChanges, readSnapshot, type Snapshot } from "./snapshot.ts";
import { loadStarter } from "./starter.ts";

const LOOK_EVERY_MILLISECONDS = 1_000;

/** Which revision is served and how sure that is; times are milliseconds since 1970. */
export interface CatalogueState {
  readonly revision: number;
  readonly publishedAt: number;
  /** When the store last said that nothing newer exists. Long ago: the store is away, and this may be stale. */
  readonly confirmedAt: number;
}

/** What can be bought: what operations may ask. Never waits, and never touches the store. */
export interface Catalogue {
  /** Bundles of a data provider, or of all. Throws `provider_not_found`. */
  dataBundles(provider: string | undefined): ReadyAnswer;
  corporateBundles(): ReadyAnswer;
  dataProviders(): ReadyAnswer;
  cableProviders(): ReadyAnswer;
  /** Products of a cable provider. Throws `provider_not_found`. */
  cablePlans(type: string): ReadyAnswer;
  /** Add-ons of a cable product. Throws `provider_not_found` and `product_not_found`. */
  addOns(type: string, productCode: string): ReadyAnswer;
}

/** The catalogue as its process holds it: of one revision at a time. */
export interface OpenCatalogue extends Catalogue {
  snapshot(): Snapshot;
  state(): CatalogueState;
  /** Looks now whether a newer revision was published, as is done each second. Rejects when the store is away. */
  refresh(): Promise<void>;
  /** Ends the looking; what is served stays. Resolves when the store is no longer in use. */
  stop(): Promise<void>;
}

/**
 * Serves the newest revision in the store, the starter catalogue if there is none, and follows what others publish. While
 * the store is away it serves the last revision that it read.
 */
export async function openCatalogue({
  db,
  now = Date.now,
}: {
  db: Kysely<Tables>;
  /** Milliseconds since 1970. */
  now?: () => number;
}): Promise<OpenCatalogue> {
  await loadStarter(db, now);
  const read = async () => {
    const snapshot = await readSnapshot(db);
    return { snapshot, answers: new Answers(snapshot, now) };
  };
  let current = await read();
  let confirmedAt = now();

  const look = async () => {
    if ((await readChanges(db)) !== current.snapshot.changes) current = await read();
    confirmedAt = now();
  };
  let looking: Promise<void> | undefined;
  const refresh = () => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };
  const timer = setInterval(() => refresh().catch(() => undefined), LOOK_EVERY_MILLISECONDS);
  timer.unref();

  return {
    dataBundles: (provider) => current.answers.dataBundles(provider),
    corporateBundles: () => current.answers.corporateBundles(),
    dataProviders: () => current.answers.dataProviders(),
    cableProviders: () => current.answers.cableProviders(),
    cablePlans: (type) => current.answers.cablePlans(type),
    addOns: (type, productCode) => current.answers.addOns(type, productCode),
    snapshot: () => current.snapshot,
    state: () => {
      const { revision, publishedAt } = current.snapshot;
      return { revision, publishedAt, confirmedAt };
    },
    refresh,
    async stop() {
      clearInterval(timer);
      await looking?.catch(() => undefined);
    },
  };
}
