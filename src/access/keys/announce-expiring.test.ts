import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import { withSuiteStore } from "../../../test/support/fresh-store.ts";
import type { Store } from "../../storage/store.ts";
import { recorded } from "../access.fixture.ts";
import { createAccount } from "../accounts/accounts.ts";
import { announceExpiring, endingKeys } from "./announce-expiring.ts";
import { changeKey } from "./change-key.ts";
import { createKey, type KeyRequest, revokeKey } from "./keys.ts";
import { rollKey } from "./roll.ts";

const day = 86_400_000;

for (const engine of usualEngines)
  suite(`events of keys on ${engine.name}`, () => {
    let store: Store;
    let account: string;
    const now = Date.UTC(2026, 10, 1);
    /** Each key is a little older than the next. */
    let made = now - 1_000;
    withSuiteStore(engine, async (its) => {
      store = its;
      account = (await createAccount(recorded(store.db), { name: "Acme", email: "acme@example.com" })).id;
    });
    const create = async (label: string, expiresAt?: number, mode: KeyRequest["mode"] = "live", of = account) =>
      (await createKey(recorded(store.db), { account: of, mode, label, ...(expiresAt && { expiresAt }) }, made++)).key
        .id;
    const told = async (type: "key.expiring" | "key.revoked") => {
      const rows = await store.db.selectFrom("event").selectAll().where("type", "=", type).orderBy("number").execute();
      return rows.map(({ audience, mode, data }) => [audience, mode, ...Object.values(JSON.parse(data))]);
    };

    test("an event announces a key's end within 14 days, and a second event announces a changed end", async () => {
      const soon = await create("soon", now + 13 * day);
      const test = await create("test", now + 14 * day, "test");
      await create("later", now + 15 * day);
      await create("never");
      const rolled = await create("rolled", now + 30 * day);
      await rollKey(recorded(store.db), { id: rolled, overlap: day }, now + 1);
      // A key with an equal label is no successor if its mode or its account differs.
      await create("soon", undefined, "test");
      const other = (await createAccount(recorded(store.db), { name: "Kiosk", email: "kiosk@example.com" })).id;
      await create("soon", undefined, "live", other);
      const its = await create("its", now + day, "live", other);
      await Promise.all([1, 2].map(() => announceExpiring(store.db, now + 2)));
      const of = (id: string, mode: string, end: number) => [account, mode, id, new Date(end).toISOString()];
      const first = [
        of(soon, "live", now + 13 * day),
        of(test, "test", now + 14 * day),
        [other, "live", its, new Date(now + day).toISOString()],
      ];
      assert.deepEqual(await told("key.expiring"), first);
      await changeKey(recorded(store.db), soon, { expiresAt: now + 10 * day }, now);
      await announceExpiring(store.db, now + 3);
      assert.deepEqual(await told("key.expiring"), [...first, of(soon, "live", now + 10 * day)]);
    });

    test("a key is near its end for 14 days, or since it was made to end sooner", async () => {
      const [long, short] = [await create("long", now + 20 * day), await create("short", now + 20 * day)];
      await store.db
        .updateTable("api_key")
        .set({ created_at: now + 19 * day })
        .where("id", "=", short)
        .execute();
      const ending = (await endingKeys(store.db, now + 19 * day)).filter(({ id }) => [long, short].includes(id));
      assert.deepEqual(
        ending.map(({ id, near_since }) => [id, near_since]),
        [
          [long, now + 6 * day],
          [short, now + 19 * day],
        ],
      );
    });

    test("a revoked key is announced by one event", async () => {
      const id = await create("revoked");
      for (const _ of [1, 2]) await revokeKey(recorded(store.db), id, now);
      assert.deepEqual(await told("key.revoked"), [[account, "live", id, new Date(now).toISOString()]]);
      const kept = await create("kept");
      const refuses = { ...recorded(store.db), audit: () => Promise.reject(new Error("played")) };
      await assert.rejects(revokeKey(refuses, kept, now), /played/);
      assert.equal((await told("key.revoked")).length, 1);
    });
  });
