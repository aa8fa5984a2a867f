import type { TestContext } from "node:test";
import { PostgresDoor } from "../../test/support/postgres-door.ts";
import { openStore } from "../storage/store.ts";
import type { Changes, SuiteStore } from "./identity.fixture.ts";
import { PlayedUpstream } from "./played-upstream.fixture.ts";

/** A service whose connection to PostgreSQL can stall or break, with its upstream. */
export async function openBehindDoor(store: SuiteStore, t: TestContext, changes: Changes = {}) {
  const door = await PostgresDoor.open(store.settings.databaseUrl!);
  const behind = await openStore({ ...store.settings, databaseUrl: door.url, serving: true });
  t.after(async () => {
    await behind.close();
    await door.close();
  });
  const upstream = new PlayedUpstream();
  const identity = await store.open(t, { ...changes, db: behind.db, upstreams: { test: upstream, live: [] } });
  return { identity, upstream, door };
}
