import assert from "node:assert/strict";
import { beforeEach, suite, test } from "node:test";
import { engines, type FreshSettings } from "../../test/support/engines.ts";
import { withSuiteStore } from "../../test/support/fresh-store.ts";
import { changeCount } from "../storage/change-counter.ts";
import { openStore, type Store } from "../storage/store.ts";
import { recorded } from "./access.fixture.ts";
import { createAccount, listAccounts } from "./accounts/accounts.ts";
import { firstStart, noteShown } from "./bootstrap.ts";
import { listKeys, revokeKey } from "./keys/keys.ts";
import { newApiKey, readApiKey, secretHash } from "./secrets.ts";

const one = "a-bootstrap-key-for-compose";
const two = "duba_test_not_of_the_key_form";

for (const engine of engines) {
  suite(`the first start on ${engine.name}`, () => {
    let store: Store;
    let settings: FreshSettings;
    withSuiteStore(engine, (its, of) => {
      [store, settings] = [its, of];
    });
    beforeEach(async () => {
      for (const table of ["access_token", "api_key", "account", "fact"] as const)
        await store.db.deleteFrom(table).execute();
    });

    const inForce = async () => {
      const rows = await store.db.selectFrom("api_key").selectAll().where("revoked_at", "is", null).execute();
      assert.equal(rows.length, 1);
      return rows[0]!;
    };

    test("a first start makes the Sandbox account and prints its test key", async () => {
      const { printed = "" } = await firstStart(recorded(store.db));
      const [account, ...others] = await listAccounts(store.db);
      assert.deepEqual([account?.name, account?.email, others], ["Sandbox", "sandbox@example.com", []]);
      const row = await inForce();
      assert.deepEqual(readApiKey(printed), { id: row.id, mode: "test" });
      assert.equal(row.secret_hash, secretHash(printed));
      assert.deepEqual([row.account_id, row.mode, row.bootstrap], [account?.id, "test", 1]);
    });

    test("a start after the sandbox key was shown makes no new key", async () => {
      const { printed = "" } = await firstStart(recorded(store.db));
      await noteShown(store.db, printed);
      assert.deepEqual(await firstStart(recorded(store.db)), {});
      assert.equal((await inForce()).secret_hash, secretHash(printed));
    });

    test("a start replaces a key that was never shown, and shows the new one", async () => {
      const { printed: lost = "" } = await firstStart(recorded(store.db));
      const key = readApiKey(lost)!.id;
      const { printed = "", replaced } = await firstStart(recorded(store.db));
      assert.deepEqual(replaced, { key, why: "never_shown" });
      const row = await inForce();
      assert.deepEqual([row.secret_hash, row.id === key], [secretHash(printed), false]);
      // Too late: the store has a newer key to show.
      await noteShown(store.db, lost);
      assert.equal((await firstStart(recorded(store.db))).replaced?.why, "never_shown");
      assert.equal((await listAccounts(store.db)).length, 1);
    });

    test("a start makes no new key if an operator revoked the one that was never shown", async () => {
      await firstStart(recorded(store.db));
      await revokeKey(recorded(store.db), (await inForce()).id);
      assert.deepEqual(await firstStart(recorded(store.db)), {});
      assert.deepEqual(await firstStart(recorded(store.db)), {});
    });

    test("a start without the bootstrap setting revokes the setting's former key, and shows a random key", async () => {
      await firstStart(recorded(store.db), one);
      const { id, account_id } = await inForce();
      const change = await changeCount(store.db, "access");
      const { printed = "", replaced } = await firstStart(recorded(store.db));
      assert.deepEqual(replaced, { key: id, why: "setting_gone" });
      const row = await inForce();
      assert.deepEqual([row.secret_hash, row.account_id, row.mode], [secretHash(printed), account_id, "test"]);
      assert.ok((await changeCount(store.db, "access")) > change);
      await noteShown(store.db, printed);
      assert.deepEqual(await firstStart(recorded(store.db)), {});
      // A key that the setting revoked works again when its setting returns. A key that an operator revoked does not.
      assert.deepEqual(await firstStart(recorded(store.db), one), {
        replaced: { key: row.id, why: "setting_changed" },
      });
      assert.equal((await inForce()).secret_hash, secretHash(one));
    });

    test("a start without a bootstrap value makes no key if the store has an account", async () => {
      await createAccount(recorded(store.db), { name: "Acme", email: "acme@example.com" });
      assert.deepEqual(await firstStart(recorded(store.db)), {});
      assert.deepEqual(await listKeys(store.db), []);
    });

    test("a start uses the bootstrap value unchanged, and prints no key", async () => {
      for (const value of [one, two]) {
        const { printed, replaced } = await firstStart(recorded(store.db), value);
        assert.equal(printed, undefined);
        assert.equal(replaced?.why, value === one ? undefined : "setting_changed");
        const row = await inForce();
        assert.equal(row.secret_hash, secretHash(value));
        assert.match(row.id, /^[0-9A-Za-z]{12}$/);
      }
    });

    test("a bootstrap value in the form of a key sets the key's public id", async () => {
      const { id, text } = newApiKey("test");
      await firstStart(recorded(store.db), text);
      assert.equal((await inForce()).id, id);
    });

    test("a start with an unchanged bootstrap value changes nothing", async () => {
      await firstStart(recorded(store.db), one);
      const row = await inForce();
      const change = await changeCount(store.db, "access");
      await firstStart(recorded(store.db), one);
      assert.deepEqual(await inForce(), row);
      assert.equal(await changeCount(store.db, "access"), change);
    });

    test("a start replaces the random key by a bootstrap value, on the same account", async () => {
      await firstStart(recorded(store.db), undefined, 1000);
      const old = await inForce();
      await firstStart(recorded(store.db), one, 2000);
      const row = await inForce();
      assert.deepEqual([row.secret_hash, row.account_id], [secretHash(one), old.account_id]);
      assert.equal((await listKeys(store.db)).find(({ id }) => id === old.id)?.revoked_at, 2000);
    });

    test("a start with another bootstrap value is noticed, and a later start may use the old one again", async () => {
      const { text } = newApiKey("test");
      let now = 1000;
      for (const value of [text, one, text, two]) {
        const change = await changeCount(store.db, "access");
        await firstStart(recorded(store.db), value, now++);
        assert.equal((await inForce()).secret_hash, secretHash(value));
        assert.ok((await changeCount(store.db, "access")) > change);
      }
      assert.equal((await listKeys(store.db)).length, 4);
    });

    test("a start does not restore a bootstrap value that an operator revoked", async () => {
      await firstStart(recorded(store.db), one);
      await revokeKey(recorded(store.db), (await inForce()).id);
      await firstStart(recorded(store.db), one);
      assert.equal((await listKeys(store.db)).filter(({ revoked_at }) => revoked_at === null).length, 0);
    });

    test("a start with a bootstrap value adds the Sandbox account to existing accounts", async () => {
      await createAccount(recorded(store.db), { name: "Acme", email: "acme@example.com" });
      await firstStart(recorded(store.db), one);
      assert.equal((await listAccounts(store.db)).length, 2);
      await inForce();
    });

    test("several processes that start at once make one account and one key, and one process prints it", async () => {
      const beside = () => openStore({ ...settings, serving: false });
      const stores = await Promise.all(Array.from({ length: 5 }, beside));
      try {
        const start = async ({ db }: Store) => {
          const { printed } = await firstStart(recorded(db), undefined, Date.now(), 30_000);
          if (printed !== undefined) await noteShown(db, printed);
          return { printed };
        };
        const printed = await Promise.all(stores.map(start));
        assert.equal(printed.filter((start) => start.printed !== undefined).length, 1);
        assert.equal((await listAccounts(store.db)).length, 1);
        await inForce();
        await Promise.all(stores.map(({ db }) => firstStart(recorded(db), one)));
        assert.equal((await inForce()).secret_hash, secretHash(one));
        assert.equal((await listKeys(store.db)).length, 2);
      } finally {
        await Promise.all(stores.map((opened) => opened.close()));
      }
    });
  });
}
