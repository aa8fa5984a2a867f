import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { engines } from "../../test/support/engines.ts";
import { freshStore } from "../../test/support/fresh-store.ts";
import type { Db } from "../storage/tables.ts";
import { checkClaim, claimStore, isRehearsal } from "./stand-in-store.ts";

const rehearsal = { standIns: true, upstreams: ["prembly"] };
const live = { standIns: false, upstreams: ["prembly"] };
const withoutVendor = { standIns: false, upstreams: [] };
const now = Date.now();

for (const engine of engines)
  suite(`whose live verifications a store has on ${engine.name}`, () => {
    const withStore = async (work: (db: Db) => Promise<void>) => {
      const { store, close } = await freshStore(undefined, engine, { serving: false });
      try {
        await work(store.db);
      } finally {
        await close();
      }
    };

    test("after one start with stand-ins, a store is a rehearsal for good", () =>
      withStore(async (db) => {
        await claimStore(db, withoutVendor, now);
        assert.equal(await isRehearsal(db), false);
        await claimStore(db, rehearsal, now);
        await claimStore(db, rehearsal, now);
        assert.equal(await isRehearsal(db), true);
        for (const start of [live, withoutVendor])
          await assert.rejects(
            claimStore(db, start, now),
            /^StoreError: This store is a rehearsal for ever.* DUBA_DATA/,
          );
        assert.equal(await isRehearsal(db), true);
      }));

    test("after a start with vendors a store never becomes a rehearsal", () =>
      withStore(async (db) => {
        await claimStore(db, live, now);
        await claimStore(db, withoutVendor, now);
        await assert.rejects(claimStore(db, rehearsal, now), /^StoreError: This store is for live verifications/);
        await claimStore(db, live, now);
        assert.equal(await isRehearsal(db), false);
      }));

    test("if rehearsals and services start at once, only one kind gets the store", () =>
      withStore(async (db) => {
        const starts = await Promise.allSettled(
          [live, rehearsal, live, rehearsal].map((each) => claimStore(db, each, now)),
        );
        assert.deepEqual(starts.map(({ status }) => status).sort(), ["fulfilled", "fulfilled", "rejected", "rejected"]);
        const [winner, loser] = (await isRehearsal(db)) ? [rehearsal, live] : [live, rehearsal];
        await checkClaim(db, winner);
        await assert.rejects(checkClaim(db, loser));
      }));

    test("a store does not become a rehearsal while a service runs on it", () =>
      withStore(async (db) => {
        await db
          .insertInto("verification_owner")
          .values({ id: "other", expires_at: now + 5000, serves: 1, migration: 1 })
          .execute();
        await assert.rejects(claimStore(db, rehearsal, now), /^StoreError: A service runs on this store without/);
        assert.equal(await isRehearsal(db), false);
        await claimStore(db, rehearsal, now + 5000);
        // A second instance of the same rehearsal.
        await claimStore(db, rehearsal, now);
      }));
  });
