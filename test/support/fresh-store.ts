import { after, before, type TestContext } from "node:test";
import { openStore, type Store } from "../../src/storage/store.ts";
import type { Engine, FreshSettings } from "./engines.ts";

/** An open store for one test, in the state after a first start. */
export interface FreshStore {
  readonly store: Store;
  readonly settings: FreshSettings;
  /** Closes and removes the store. */
  close(): Promise<void>;
}

/**
 * Opens a store, and removes it after the test; without a test, the caller closes it. `serving`: opens it as a starting
 * service does; false, as a command does.
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

/** Registers the hooks of a suite that open a fresh store and close it at the end. */
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
