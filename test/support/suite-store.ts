import { after, before } from "node:test";
import { openStore, type Store } from "../../src/storage/store.ts";
import type { Engine, Fresh, FreshSettings } from "./engines.ts";

/**
 * Registers the hooks of a suite: gives it a store of its own, with tables and without rows, and closes it afterwards.
 */
export function withSuiteStore(
  engine: Engine,
  use: (store: Store, settings: FreshSettings) => void | Promise<void>,
): void {
  let fresh: Fresh;
  let store: Store;
  before(async () => {
    fresh = await engine.ready();
    store = await openStore({ ...fresh.settings, serving: true, starting: true });
    await use(store, fresh.settings);
  });
  after(async () => {
    await store.close();
    await fresh.dispose();
  });
}
