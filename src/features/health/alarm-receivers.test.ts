import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { suite, test } from "node:test";
import { ran } from "../../../test/support/command-line.ts";
import { usualEngines } from "../../../test/support/engines.ts";
import { freshStore } from "../../../test/support/fresh-store.ts";
import { readConfig } from "../../config/read-config.ts";
import { features } from "../../features.ts";
import { silent } from "../../runtime/log.ts";
import { coreOf } from "../../wire/core.ts";
import { alarmReceivers } from "./alarm-receivers.ts";
import { runbookLink, runbookSections } from "./runbook-sections.ts";
import { type AlarmMessage, AlarmTeller } from "./tell-alarms.ts";

test("a receiver that several settings name is listed once, with the ranks of all these settings", () => {
  const config = readConfig(
    {
      DUBA_ALARM_URL: "https://all.example/a https://also.example/b",
      DUBA_ALARM_URL_1: "https://pager.example/c https://all.example/a",
      DUBA_ALARM_URL_3: "https://pager.example/c",
    },
    features,
  );
  assert.deepEqual(alarmReceivers(config), [
    { url: "https://all.example/a", ranks: [1, 2, 3] },
    { url: "https://also.example/b", ranks: [1, 2, 3] },
    { url: "https://pager.example/c", ranks: [1, 3] },
  ]);
});

test("every runbook section that an alarm links to exists", () => {
  const headings = readFileSync("RUNBOOK.md", "utf8").match(/^#{2,3} .+$/gm)!;
  for (const section of Object.values(runbookSections))
    assert.ok(
      headings.some((heading) => heading.replace(/^#+ /, "") === section),
      section,
    );
  assert.equal(
    runbookLink("https://wiki.example/runbook", "vendor:dojah"),
    "https://wiki.example/runbook#dubavendoralarm",
  );
  assert.equal(runbookLink("https://wiki.example/runbook", "clock"), "https://wiki.example/runbook#the-clock");
  assert.equal(runbookLink("", "vendor:dojah"), undefined);
  assert.equal(runbookLink("https://wiki.example/runbook", "job:x"), undefined);
});

for (const engine of usualEngines)
  suite(`receivers of alarms on ${engine.name}`, () => {
    test("a lasting alarm is repeated, but not while it is acknowledged", async () => {
      const { store, settings, close } = await freshStore(undefined, engine, { serving: false });
      try {
        const place = { DUBA_DATA: settings.dataDirectory, DUBA_DATABASE_URL: settings.databaseUrl ?? "" };
        const config = readConfig(
          { ...place, DUBA_ALARM_REPEAT: "4h", DUBA_RUNBOOK_URL: "https://wiki.example/runbook" },
          features,
        );
        let now = Date.now();
        const messages: AlarmMessage[] = [];
        const room = { ...coreOf(config, silent), db: store.db, now: () => now };
        const send = async (message: AlarmMessage) => messages.push(message) > 0;
        const teller = new AlarmTeller(room, send, { id: "pager", ranks: [1] });
        const other = new AlarmTeller(room, send, { id: "chat", ranks: [2] });
        const after = async (hours: number) => {
          now += hours * 3_600_000;
          for (const each of [teller, other]) await each.look();
          return messages.splice(0).map(({ text }) => text);
        };
        const said = "No instance serves this store. Start one: duba serve";
        await teller.look();
        assert.deepEqual(messages.splice(0), [
          { text: `Duba: ${said}`, rank: 1, since: null, runbook: "https://wiki.example/runbook#dubadown" },
        ]);
        assert.deepEqual(await after(3.9), []);
        assert.deepEqual(await after(0.1), [`Duba: still: ${said}`]);
        assert.deepEqual(await after(3.9), []);
        const acknowledged = { name: "no-instance", actor: "terminal", note: "", at: now, until: now + 3_600_000 };
        await store.db.insertInto("alarm_acknowledgement").values(acknowledged).execute();
        assert.deepEqual(await after(0.5), []);
        assert.deepEqual(await after(0.5), [`Duba: still: ${said}`]);
      } finally {
        await close();
      }
    });

    test("alarms test sends a message to each receiver, and reports the result without the URL's path", async () => {
      const { settings, dispose } = await engine.ready();
      const bodies: string[] = [];
      const receiver = createServer((request, response) => {
        request.setEncoding("utf8").on("data", (part: string) => bodies.push(part));
        request.on("end", () => response.writeHead(request.url === "/secret-1" ? 204 : 500).end());
      });
      await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
      const { port } = receiver.address() as AddressInfo;
      const urls = [1, 2].map((nth) => `http://127.0.0.1:${port}/secret-${nth}`);
      try {
        const environment = {
          DUBA_DATA: settings.dataDirectory,
          DUBA_DATABASE_URL: settings.databaseUrl,
          DUBA_EVENT_NETWORKS: "127.0.0.0/8",
          DUBA_ALARM_URL: urls[0],
          DUBA_ALARM_URL_1: urls[1],
        };
        const { exitCode, out, err } = await ran(["alarms", "test", "--json"], { environment });
        assert.equal(exitCode, 1, err);
        assert.deepEqual(JSON.parse(out), [
          { receiver: `127.0.0.1:${port}`, ranks: [1, 2, 3], state: "delivered", outcome: "204" },
          { receiver: `127.0.0.1:${port}`, ranks: [1], state: "failed", outcome: "500" },
        ]);
        assert.match(bodies[0]!, /this is a test of the receivers of alarms/);
        const well = await ran(["alarms", "test"], { environment: { ...environment, DUBA_ALARM_URL_1: "" } });
        assert.equal(well.exitCode, 0, well.err);
      } finally {
        receiver.close();
        await dispose();
      }
    });
  });
