import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import { freshStore } from "../../../test/support/fresh-store.ts";
import { append } from "../../audit/append.ts";
import { readConfig } from "../../config/read-config.ts";
import { features } from "../../features.ts";
import { silent } from "../../runtime/log.ts";
import { openStore } from "../../storage/store.ts";
import { endPauses, pausedRoutes, pauseRoute } from "../../verification/routes/paused-vendors.ts";
import { coreOf } from "../../wire/core.ts";
import { type AlarmMessage, AlarmTeller } from "./tell-alarms.ts";

for (const engine of usualEngines)
  suite(`what DUBA_ALARM_URL is told on ${engine.name}`, () => {
    test("the receiver gets one message when an alarm opens and one when it closes, from any process", async () => {
      const { store, settings, close } = await freshStore(undefined, engine, { serving: false });
      try {
        const environment = { DUBA_DATA: settings.dataDirectory, DUBA_DATABASE_URL: settings.databaseUrl ?? "" };
        const origin = { DUBA_CONSOLE: "127.0.0.1:8090", DUBA_CONSOLE_ORIGIN: "https://console.example" };
        const config = readConfig({ ...environment, ...origin }, features);
        const texts: string[] = [];
        const messages: AlarmMessage[] = [];
        let arrives = true;
        const send = async (message: AlarmMessage) => {
          if (arrives) texts.push(message.text);
          if (arrives) messages.push(message);
          return arrives;
        };
        let now = Date.now();
        const room = { ...coreOf(config, silent), db: store.db, now: () => now };
        const [one, other] = [new AlarmTeller(room, send), new AlarmTeller(room, send)];
        for (const teller of [one, other, one]) await teller.look();
        assert.deepEqual(texts, ["Duba: No instance serves this store. Start one: duba serve"]);

        // The vendor has an alarm while the receiver is unreachable.
        const vendor = {
          instance: "i",
          upstream: "dojah",
          state: "ready",
          alarm: "no_money",
          last_answer_at: null,
          ill_since: now - 60_000,
          balance: null,
        };
        await store.db
          .insertInto("upstream_status")
          .values({ ...vendor, kinds: '["bvn"]', last_failures: "{}", noted_at: now })
          .execute();
        arrives = false;
        await one.look();
        arrives = true;
        await other.look();
        assert.match(texts[1]!, /^Duba: The vendor dojah has an empty wallet\./);
        const about = { rank: 2, since: new Date(now - 60_000).toISOString() };
        const link = "https://console.example/alarms/list?_find=vendor%3Adojah";
        assert.deepEqual(messages[1], { text: texts[1], ...about, link });
        now += 120_000;
        await one.look();
        assert.match(texts[2]!, /^Duba: over: The vendor dojah has an empty wallet\./);
        assert.deepEqual(messages[2], { text: texts[2], ...about, link });
        await other.look();
        assert.equal(texts.length, 3);

        // A process sends nothing while another one holds the claim.
        const claim = JSON.stringify({ told: {}, claimedUntil: now + 60_000 });
        await store.db.updateTable("fact").set({ value: claim }).where("name", "=", "alarms-told").execute();
        await one.look();
        assert.equal(texts.length, 3);
        now += 60_001;
        await one.look();
        assert.equal(texts.length, 4);
      } finally {
        await close();
      }
    });

    test("a vendor's pause is reported when it begins, an hour before it ends, and when it ends", async () => {
      const { store, settings, close } = await freshStore(undefined, engine, { serving: false });
      const texts: string[] = [];
      try {
        const environment = { DUBA_DATA: settings.dataDirectory, DUBA_DATABASE_URL: settings.databaseUrl ?? "" };
        const clock = { now: Date.UTC(2026, 10, 24, 9) };
        const room = { ...coreOf(readConfig(environment), silent), db: store.db, now: () => clock.now };
        const teller = new AlarmTeller(room, async ({ text }) => {
          if (text.includes("dojah")) texts.push(text);
          return true;
        });
        const writing = { ...room, actor: "terminal:ada", audit: append };
        await pauseRoute(writing, { vendor: "dojah", kind: null, why: "load", until: clock.now + 8 * 3_600_000 });
        const began =
          "The vendor dojah is paused by terminal:ada until 2026-11-24 18:00+01, because it is slow or has too " +
          "much to do. Resume dojah: duba routes resume dojah";
        for (const hours of [0, 6, 1, 0.5, 0.5, 1]) {
          clock.now += hours * 3_600_000;
          await teller.look();
        }
        assert.deepEqual(texts, [
          `Duba: ${began}`,
          "Duba: The pause of the vendor dojah ends at 2026-11-24 18:00+01: it gets attempts again.",
          `Duba: over: ${began}`,
        ]);
        await endPauses(writing);
        const entries = await store.db
          .selectFrom("audit_entry")
          .select(["kind", "actor"])
          .orderBy("occurred_at")
          .execute();
        assert.deepEqual(
          entries.map(({ kind, actor }) => `${kind} ${actor}`),
          ["route.paused terminal:ada", "route.resumed system"],
        );
        await endPauses(writing);
        assert.deepEqual(await pausedRoutes(store.db, 0), []);
      } finally {
        await close();
      }
    });

    test("an alarm that the store is away reaches the receiver, although no process can note the message", async () => {
      const { settings, dispose } = await engine.ready();
      const store = await openStore({ ...settings, serving: false });
      const environment = { DUBA_DATA: settings.dataDirectory, DUBA_DATABASE_URL: settings.databaseUrl ?? "" };
      const texts: string[] = [];
      const teller = new AlarmTeller(
        { ...coreOf(readConfig(environment), silent), db: store.db, now: Date.now },
        async ({ text }) => {
          texts.push(text);
          return true;
        },
      );
      await store.close();
      for (const _ of [1, 2]) await teller.look();
      await dispose();
      assert.deepEqual(texts, [
        "Duba: The store does not answer, so each verification is answered 500. See the log of the service.",
      ]);
    });
  });
