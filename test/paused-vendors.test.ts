import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type Operators, startOperators } from "../src/features/console/operators.fixture.ts";
import { json, LocalVendor } from "../src/vendors/local-vendor.fixture.ts";
import foundFile from "../stand-ins/dojah/samples/found.json" with { type: "json" };
import { ran, terminalActor } from "./support/command-line.ts";
import { usualEngines } from "./support/engines.ts";
import { ask } from "./support/service.ts";
import { noticed } from "./support/until.ts";

const { sample: found } = foundFile;

const path = "/api/v2/kyc/verify-bvn";
const body = { bvn: found.entity.bvn, phone: found.entity.phone_number1, amount: "100" };

for (const engine of usualEngines)
  suite(`vendors that a person pauses on ${engine.name}`, () => {
    let vendor: LocalVendor;
    let operators: Operators;
    let credential: string;
    let vendorsAtStart: string[];
    let port: number;
    const duba = (argv: string[], stdin?: string) => {
      const { dataDirectory, databaseUrl } = operators.service.settings;
      const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
      return ran(argv, { environment, ...(stdin !== undefined && { stdin, isTTY: true }) });
    };
    const status = async () => {
      const { exitCode, out } = await duba(["status", "--json"]);
      return { exitCode, ...JSON.parse(out) };
    };
    const verify = () => operators.service.ask(path, { method: "POST", body, credential });
    const metrics = async () => (await ask(port, "/metrics")).text.split("\n");
    const paused = async () => {
      const { out } = await duba(["upstreams", "status", "--json"]);
      return JSON.parse(out).map((seen: Record<string, unknown>) => [seen.upstream, seen.state]);
    };

    before(async () => {
      vendor = await LocalVendor.start();
      vendor.behaviour = json(200, found);
      operators = await startOperators(engine, {
        ...{ DUBA_METRICS: "127.0.0.1:0", DUBA_LIMITS: "off" },
        ...{
          DUBA_UPSTREAMS: "dojah,qoreid",
          DUBA_DOJAH_URL: vendor.url,
          DUBA_DOJAH_APP_ID: "app",
          DUBA_DOJAH_KEY: "key",
        },
        ...{ DUBA_QOREID_URL: vendor.url, DUBA_QOREID_CLIENT_ID: "id", DUBA_QOREID_SECRET: "secret" },
      });
      vendorsAtStart = (await status()).vendors.map(({ name }: { name: string }) => name);
      port = await operators.service.metrics!.listen();
      credential = (await operators.service.newKey({ mode: "live" })).text;
    });
    after(async () => {
      await operators.service.close();
      await vendor.close();
    });

    test("vendors are listed as soon as the service is ready", () => {
      assert.deepEqual(vendorsAtStart, ["dojah", "qoreid"]);
    });

    test("only a pause of the last vendor asks for a confirmation, which states its effect", async () => {
      assert.equal((await verify()).status, 200);
      const first = await duba(["routes", "pause", "qoreid", "--why", "money"]);
      assert.equal(first.exitCode, 0, first.err);
      assert.match(
        first.out,
        /^qoreid is paused for all checks, until \d{4}-.*: it costs too much or its wallet is empty\.\n$/,
      );

      const most = /Most for sandbox@example\.com: 1, the last: [-+\d: ]+\./.source;
      const warns = new RegExp(
        `dojah is the last vendor for BVN and NIN: .+ 503 .+ Vendors were asked once in the last hour\\. ${most}`,
      );
      const alone = await duba(["routes", "pause", "dojah"]);
      assert.equal(alone.exitCode, 2);
      const refused = "^Nothing was changed: nobody is at the terminal to confirm\\. With --yes: ";
      assert.match(alone.err, new RegExp(refused + warns.source));
      const doubtful = await duba(["routes", "pause", "dojah"], "prembly\n");
      assert.match(doubtful.err, new RegExp(`^${warns.source} To confirm, type dojah: `));
      assert.match(doubtful.err, /You did not confirm\. Nothing was changed\./);
      assert.deepEqual(await paused(), [
        ["dojah", "ready"],
        ["qoreid", "paused"],
      ]);
      const sure = await duba(["routes", "pause", "dojah"], "dojah\n");
      assert.match(sure.out, /^dojah is paused for all checks, until resumed: its answers are wrong\.\n$/);
    });

    test("while the last vendor is paused, every report on vendors shows the pause", async () => {
      assert.equal((await noticed(verify, ({ status }) => status === 503)).json.error.code, "upstream_unavailable");
      const { exitCode, needs, vendors, alarms } = await status();
      assert.equal(exitCode, 1);
      assert.match(
        needs[0],
        /^Live verifications have no vendor for BVN and NIN, so each is answered 503\. The vendor /,
      );
      assert.ok(
        needs[0].includes(
          ` The vendor dojah is paused by ${terminalActor} until somebody resumes it, because its answers are wrong.`,
        ),
        needs[0],
      );
      assert.match(
        needs[0],
        / The vendor qoreid is paused by .* until 2.*, because it costs too much or its wallet is empty\./,
      );
      assert.match(needs[0], /\. Resume qoreid: duba routes resume qoreid\. Resume dojah: duba routes resume dojah$/);
      assert.deepEqual(
        vendors.map((seen: Record<string, unknown>) => [seen.name, seen.ready, seen.paused_by, seen.paused_why]),
        [
          ["dojah", false, terminalActor, "answers"],
          ["qoreid", false, terminalActor, "money"],
        ],
      );
      assert.deepEqual(
        alarms.slice(0, 2).map(({ alarm, covers }: { alarm: string; covers: string[] }) => [alarm, covers]),
        [
          ["no-vendor", ["paused:qoreid", "paused:dojah"]],
          ["backup", []],
        ],
      );
      const text = await duba(["status"]);
      assert.match(
        text.out,
        new RegExp(`\\nvendors +dojah \\(paused by ${terminalActor}\\), qoreid \\(paused by ${terminalActor} until `),
      );
      assert.equal((await duba(["upstreams", "status"])).exitCode, 1);
      assert.deepEqual(await paused(), [
        ["dojah", "paused"],
        ["qoreid", "paused"],
      ]);
      const shown = JSON.parse((await duba(["upstreams", "show", "dojah", "--json"])).out);
      assert.deepEqual([shown.state, shown.paused_by, shown.processes[0].state], ["paused", terminalActor, "paused"]);
      const figures = JSON.parse((await duba(["routes", "show", "--json"])).out);
      // Nobody asked qoreid so far.
      assert.deepEqual([...new Set(figures.map(({ vendor }: { vendor: string }) => vendor))], ["dojah", "qoreid"]);
      for (const { state, paused_by } of figures) assert.deepEqual([state, paused_by], ["paused", terminalActor]);
      const { text: page } = await operators.send("/vendors", { cookie: operators.by.viewer.cookie });
      assert.match(page, /QoreID(?:(?!<\/tr>).)*paused(?:(?!<\/tr>).)*<\/tr>/s);
      assert.doesNotMatch(page, />\d{4}-\d\d-\d\dT[\d:.]+Z</, "times are the console's");
      const awayLines = [
        'duba_upstream_ready{upstream="dojah"} 0',
        'duba_upstream_paused{upstream="qoreid",kind="nin"} 1',
        'duba_live_vendors{kind="bvn"} 0',
        'duba_live_vendors{kind="nin"} 0',
        'duba_alarms{alarm="no-vendor"} 1',
        'duba_alarms{alarm="paused"} 2',
      ];
      await noticed(metrics, (lines) => awayLines.every((line) => lines.includes(line)));
      const { text: now } = await operators.send("/", { cookie: operators.by.viewer.cookie });
      assert.match(now, /Live verifications have no vendor for BVN and NIN/);
      const { text: officers } = await operators.send("/", { cookie: operators.by.officer.cookie });
      assert.match(officers, /class="button main" href="\/routes\/resume\?vendor=/);
      assert.ok(now.indexOf("/now/alarms") < now.indexOf("/now/counts"), "what needs a hand comes before charts");
      assert.doesNotMatch(now.slice(now.indexOf("Vendors of each process")), /<span class="state good">ready/);
    });

    test("a resumed vendor is used again, and its alarms end", async () => {
      for (const name of ["dojah", "qoreid"]) assert.equal((await duba(["routes", "resume", name])).exitCode, 0);
      await noticed(verify, ({ status }) => status === 200);
      assert.ok((await status()).alarms.every(({ alarm }: { alarm: string }) => !/^(no-vendor|paused)/.test(alarm)));
      const well = ['duba_upstream_ready{upstream="dojah"} 1', 'duba_live_vendors{kind="bvn"} 2'];
      await noticed(metrics, (lines) => well.every((line) => lines.includes(line)));
    });

    test("a row's link pauses the row's check, and no form preselects a vendor", async () => {
      const { send, by } = operators;
      const page = async (path: string) => (await send(path, { cookie: by.officer.cookie })).text;
      const links = await noticed(
        async () => [...(await page("/vendors")).matchAll(/href="(\/routes\/pause\?[^"]*)"/g)].map(([, link]) => link!),
        ({ length }) => length > 0,
      );
      // A vendor without any request so far also has a row.
      const checks = ["&amp;check=bvn", "&amp;check=nin", ""];
      const rows = ["dojah", "qoreid"].flatMap((vendor) => checks.map((check) => `vendor=${vendor}${check}`));
      assert.deepEqual(
        [...new Set(links)],
        rows.map((row) => `/routes/pause?${row}`),
      );
      const form = await page(links[0]!.replace("&amp;", "&"));
      assert.match(form, /<option value="dojah" selected>Dojah<\/option>/);
      assert.match(form, /<option value="bvn" selected>BVN<\/option>/);
      for (const path of ["/books/reconcile", "/books/settle-unknown", "/routes/pause", "/upstreams/test"]) {
        const [, select = ""] = /<select[^>]* id="f-(?:vendor|name)"[^>]*>(.*?)<\/select>/.exec(await page(path)) ?? [];
        const [inUse = ""] = /^<option value="">–<\/option><optgroup label="In use">.*?<\/optgroup>/.exec(select) ?? [];
        const names = [...inUse.matchAll(/<option value="\w+">(\w+)<\/option>/g)].map(([, name]) => name);
        assert.deepEqual(names, ["Dojah", "QoreID"], path);
        assert.doesNotMatch(select, /selected/);
      }
    });

    test("in the console, only a pause of the last vendor needs a passkey", async () => {
      const { post, confirm, deedOf, by } = operators;
      const first = await post("/routes/pause", by.operator, { vendor: "qoreid", why: "load" });
      assert.match(first.text, /QoreID is paused for all checks, until/);
      const stolen = await post("/routes/pause", by.operator, { vendor: "dojah", why: "load" });
      assert.match(stolen.text, /Your passkey must confirm this/);
      const { json: deed } = await deedOf("/routes/pause", by.operator, { vendor: "dojah", why: "load" });
      assert.match(deed.page, /Dojah is the last vendor for BVN and NIN/);
      assert.match((await confirm("/routes/pause", by.operator, { vendor: "dojah" })).text, /Dojah is paused/);
      await duba(["routes", "resume", "dojah"]);
    });

    test("a vendor that is paused for one check does not count as one that serves", async () => {
      for (const name of ["dojah", "qoreid"]) await duba(["routes", "resume", name]);
      await noticed(status, ({ vendors }) => vendors.every(({ ready }: { ready: boolean }) => ready));
      const look = async () => (await operators.send("/now/live", { cookie: operators.by.viewer.cookie })).text;
      await noticed(look, (text) => text.includes("All 2 vendors serve"));
      await duba(["routes", "pause", "qoreid", "--check", "nin"]);
      await noticed(look, (text) => text.includes("1 of 2 vendors serve"));
      assert.deepEqual(
        (await status()).vendors.map((seen: Record<string, unknown>) => [seen.name, seen.ready, seen.paused_checks]),
        [
          ["dojah", true, []],
          ["qoreid", false, ["nin"]],
        ],
      );
      assert.match((await duba(["status"])).out, /\nvendors +dojah, qoreid \(paused for NIN by /);
      await duba(["routes", "resume", "qoreid"]);
    });

    test("only a pause for load or money has an end", async () => {
      const refused = await duba(["routes", "pause", "qoreid", "--why", "key", "--for", "2h"]);
      assert.equal(refused.exitCode, 2);
      assert.match(refused.err, /--for must be left out: only a pause for load or money ends by itself/);
      const { out } = await duba(["routes", "pause", "qoreid", "--why", "load", "--for", "2h", "--json"]);
      const left = Date.parse(JSON.parse(out).until) - Date.now();
      assert.ok(left > 7_000_000 && left <= 7_200_000, String(left));
      const usual = JSON.parse((await duba(["routes", "pause", "qoreid", "--why", "load", "--json"])).out);
      assert.ok(Math.abs(Date.parse(usual.until) - Date.now() - 8 * 3_600_000) < 60_000, usual.until);
    });
  });
