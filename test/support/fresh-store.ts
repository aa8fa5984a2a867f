import { after, before, type TestContext } from "node:test";
import { openStore, type Store } from "../../src/storage/store.ts";
import type { Engine, FreshSettings } from "./engines.ts";

/** An open store of its own, with tables and without rows. */
export interface FreshStore {
  readonly store: Store;
  readonly settings: FreshSettings;
  /** Closes and removes it. */
  close(): Promise<void>;
}

/**
 * A store for a test, which is closed and removed after it. Without a test its owner closes it. Opened as a service
 * that starts opens its store, or with `serving: false` as a command does.
 */
export async function freshStore(
  t: Pick<TestContext, "after"> | undefined,
  engine: Engine,
  { serving = true } = {},
): Promise<FreshStore> {
  const { settings, dispose } = await engine.ready();
  const store = await openStore({ ...settings, ...(serving ? { serving, starting: true } : { serving }) });
  const close = async () => {
    await store.close();
    await dispose();
  };
  t?.after(close);
  return { store, settings, close };
}

/** Registers the hooks of a suite: gives it a fresh store, and closes it afterwards. */
export function withSuiteStore(
  engine: Engine,
  use: (store: Store, settings: FreshSettings) => void | Promise<void>,
): void {
  let fresh: FreshStore;
  before(async () => {
    fresh = await freshStore(undefined, engine);
    await use(fresh.store, fresh.settings);
  });
  after(() => fresh.close());
}
