import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { engines } from "../../../test/support/engines.ts";
import { readConfig } from "../../config/read-config.ts";
import { openStore } from "../../storage/store.ts";
import { AlarmTeller } from "./tell-alarms.ts";

for (const engine of engines)
  suite(`what DUBA_ALARM_URL is told on ${engine.name}`, () => {
    test("each alarm once when it begins, and once when it ends, whichever process looks", async () => {
      const { settings, dispose } = await engine.ready();
      const store = await openStore({ ...settings, serving: false });
      try {
        const environment = { DUBA_DATA: settings.dataDirectory, DUBA_DATABASE_URL: settings.databaseUrl ?? "" };
        const config = readConfig(environment);
        const texts: string[] = [];
        let arrives = true;
        const send = async (text: string) => {
          if (arrives) texts.push(text);
          return arrives;
        };
        let now = Date.now();
        const room = { db: store.db, config, now: () => now };
        const [one, other] = [new AlarmTeller(room, send), new AlarmTeller(room, send)];
        for (const teller of [one, other, one]) await teller.look();
        assert.deepEqual(texts, ["Duba: No instance serves this store. Start one: duba serve"]);

        // A vendor's alarm, while the receiver is away.
        const vendor = {
          instance: "i",
          upstream: "dojah",
          state: "ready",
          alarm: "no_money",
          last_answer_at: null,
          balance: null,
        };
        await store.db
          .insertInto("upstream_status")
          .values({ ...vendor, last_failures: "{}", noted_at: now })
          .execute();
        arrives = false;
        await one.look();
        arrives = true;
        await other.look();
        assert.match(texts[1]!, /^Duba: The vendor dojah has the alarm no money\./);
        now += 120_000;
        await one.look();
        assert.match(texts[2]!, /^Duba: over: The vendor dojah has the alarm no money\./);
        await other.look();
        assert.equal(texts.length, 3);

        // Nobody tells while another process does.
        const claim = JSON.stringify({ told: {}, claimedUntil: now + 60_000 });
        await store.db.updateTable("fact").set({ value: claim }).where("name", "=", "alarms-told").execute();
        await one.look();
        assert.equal(texts.length, 3);
        now += 60_001;
        await one.look();
        assert.equal(texts.length, 4);
      } finally {
        await store.close();
        await dispose();
      }
    });

    test("that the store is away, although nobody can note it", async () => {
      const { settings, dispose } = await engine.ready();
      const store = await openStore({ ...settings, serving: false });
      const environment = { DUBA_DATA: settings.dataDirectory, DUBA_DATABASE_URL: settings.databaseUrl ?? "" };
      const texts: string[] = [];
      const teller = new AlarmTeller({ db: store.db, config: readConfig(environment), now: Date.now }, async (text) => {
        texts.push(text);
        return true;
      });
      await store.close();
      for (const _ of [1, 2]) await teller.look();
      await dispose();
      assert.deepEqual(texts, [
        "Duba: The store does not answer, so each verification is answered 500. See the log of the service.",
      ]);
    });
  });
