import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { suite, test } from "node:test";
import { usualEngines } from "../../test/support/engines.ts";
import { withSuiteStore } from "../../test/support/fresh-store.ts";
import { rewrap } from "../features/key-rotation/rewrap.ts";
import { recordUsage } from "../features/key-rotation/usage.ts";
import type { Store } from "../storage/store.ts";
import { rewrapSecrets, secretsOf, secretUsage } from "./endpoint-secrets.ts";
import { openSecret, sealSecret } from "./envelope-encryption.ts";
import type { Keyring } from "./keyring.ts";

const recordKey = (id: string, from?: number) => ({ id, key: randomBytes(32), ...(from !== undefined && { from }) });
const old = recordKey("r1");
const original = { hmac: [{ version: 1, key: randomBytes(32) }], records: [old], audit: randomBytes(32) };
const rotated: Keyring = { ...original, records: [old, recordKey("r2", 100)] };

for (const engine of usualEngines)
  suite(`secrets of endpoints on ${engine.name}`, () => {
    let store: Store;
    withSuiteStore(engine, (its) => {
      store = its;
    });

    const add = (id: string, secret: string, former: string | null = null) =>
      store.db
        .insertInto("event_endpoint")
        .values({
          id,
          audience: "acc_1",
          mode: "test",
          url: "https://shop.example.com/",
          types: "[]",
          secret,
          former_secret: former,
          former_ends_at: null,
          created_at: 0,
          next_at: 0,
          lease_owner: null,
          leased_until: 0,
        })
        .execute();
    const row = (id: string) =>
      store.db.selectFrom("event_endpoint").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

    test("endpoint secrets are sealed for their endpoint, and rewrap moves them to the current key", async () => {
      const owner = secretsOf({ id: "ep_1", audience: "acc_1" });
      const [secret, former] = ["whsec_new", "whsec_former"].map((text) => sealSecret(original, owner, text, 50));
      assert.ok(!secret!.includes("whsec_"));
      for (const other of [
        { ...owner, reference: "ep_2" },
        { ...owner, accountId: "acc_2" },
      ])
        assert.throws(() => openSecret(original, other, secret!));
      await add("ep_1", secret!, former!);
      await add("ep_lost", sealSecret({ ...original, records: [recordKey("r9")] }, owner, "whsec_x", 50));
      assert.equal((await recordUsage(store.db)).get("r1"), 1);

      const { unreadable } = await rewrap(store.db, rotated, { now: 200 });
      assert.deepEqual(unreadable, ["ep_lost"]);
      const moved = await row("ep_1");
      assert.deepEqual(
        [moved.secret, moved.former_secret!].map((sealed) => [
          sealed.split(":")[1],
          openSecret(rotated, owner, sealed),
        ]),
        [
          ["r2", "whsec_new"],
          ["r2", "whsec_former"],
        ],
      );
      assert.deepEqual(
        await secretUsage(store.db),
        new Map([
          ["r2", 1],
          ["r9", 1],
        ]),
      );
      await add("ep_rolled", moved.secret, sealSecret(original, owner, "whsec_old", 50));
      assert.deepEqual(
        await secretUsage(store.db),
        new Map([
          ["r2", 2],
          ["r9", 1],
          ["r1", 1],
        ]),
      );
      await rewrapSecrets(store.db, rotated, 200);
      assert.equal((await row("ep_1")).secret, moved.secret, "what is current stays as it is");
    });

    // SQLite runs statements in the order in which they are sent.
    test("a secret that is rolled while rewrap moves it stays rolled", { skip: engine.name !== "sqlite" }, async () => {
      const owner = secretsOf({ id: "ep_race", audience: "acc_1" });
      const rolled = sealSecret(rotated, owner, "whsec_rolled", 200);
      await store.db.deleteFrom("event_endpoint").execute();
      await add("ep_race", sealSecret(original, owner, "whsec_old", 50));
      const roll = store.db.updateTable("event_endpoint").set({ secret: rolled }).where("id", "=", "ep_race");
      let [reads, rolling] = [0, Promise.resolve<unknown>(undefined)];
      const ring: Keyring = {
        ...rotated,
        get records() {
          reads += 1;
          if (reads === 2) rolling = roll.execute();
          return rotated.records;
        },
      };
      await rewrapSecrets(store.db, ring, 200);
      await rolling;
      assert.equal((await row("ep_race")).secret, rolled);
    });
  });
