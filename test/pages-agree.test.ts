import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { sql } from "kysely";
import { type Operators, startOperators } from "../src/features/console/operators.fixture.ts";
import { addSum } from "../src/ledger/journal/sum-rows.fixture.ts";
import { json, LocalVendor } from "../src/vendors/local-vendor.fixture.ts";
import foundFile from "../stand-ins/dojah/samples/found.json" with { type: "json" };
import { ran } from "./support/command-line.ts";
import { engines, usualEngines } from "./support/engines.ts";
import { noticed } from "./support/until.ts";

const { sample: found } = foundFile;
const path = "/api/v2/kyc/verify-bvn";
const body = { bvn: found.entity.bvn, phone: found.entity.phone_number1, amount: "100" };

/** Pages besides Now: lists, the status and one form. `vendorPage` is the page of one vendor. */
const pages = ["/vendors", "/accounts", "/catalogue", "/verifications", "/alarms/list", "/status", "/keys/create"];
const vendorPage = "/upstreams/show?vendor=dojah";

const bandsIn = (text: string) => text.match(/<section class="band"[\s\S]*?<\/section>/g) ?? [];
const textOf = (text: string) => text.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

for (const engine of usualEngines)
  suite(`what pages say of one state on ${engine.name}`, () => {
    let vendor: LocalVendor;
    let operators: Operators;
    let credential: string;
    const duba = async (...argv: string[]) => {
      const { dataDirectory, databaseUrl } = operators.service.settings;
      const { out, err } = await ran(argv, {
        environment: { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl },
      });
      return out + err;
    };
    const page = async (path: string) => (await operators.send(path, { cookie: operators.by.officer.cookie })).text;
    const verify = () => operators.service.ask(path, { method: "POST", body, credential });
    /** Sends and confirms a form as a person in the console does. The person's next page already shows the change. */
    const post = async (path: string, fields: Record<string, string>) => {
      const { text } = await operators.confirm(path, operators.by.officer, fields);
      assert.match(text, /class="outcome"|<h1>/);
    };
    const pause = (vendor: string, why: string) => duba("routes", "pause", vendor, "--why", why, "--yes");
    const resume = (vendor: string) => post("/routes/resume", { vendor });

    before(async () => {
      vendor = await LocalVendor.start();
      vendor.behaviour = json(200, found);
      operators = await startOperators(engine, {
        DUBA_LIMITS: "off",
        DUBA_UPSTREAMS: "dojah,qoreid",
        DUBA_DOJAH_URL: vendor.url,
        DUBA_DOJAH_APP_ID: "app",
        DUBA_DOJAH_KEY: "key",
        DUBA_QOREID_URL: vendor.url,
        DUBA_QOREID_CLIENT_ID: "id",
        DUBA_QOREID_SECRET: "secret",
      });
      credential = (await operators.service.newKey({ mode: "live" })).text;
      assert.equal((await verify()).status, 200);
    });
    after(async () => {
      await operators.service.close();
      await vendor.close();
    });

    test("a freshly opened page includes the latest verification in money, search and charts", async () => {
      const figuresIn = async () => {
        const [now, rows, one] = await Promise.all(["/", "/vendors", vendorPage].map(page));
        const numberIn = (text: string, form: RegExp) => Number(form.exec(textOf(text))![1]!.replaceAll(",", ""));
        return {
          charted: numberIn(now!, /Live verifications an hour (\d+) verified/),
          charged: numberIn(now!, /Charged, 24 hours ₦([\d,.]+)/),
          asked: numberIn(one!, /Asked in 24 hours (\d+)/),
          found: [now!, rows!].map((text) => /data-label="BVN found">[\d.]+ %/.exec(text)![0]),
        };
      };
      let before = await figuresIn();
      for (let count = 0; count < 5; count += 1) {
        assert.equal((await verify()).status, 200);
        const after = await figuresIn();
        assert.deepEqual([after.charted, after.asked], [before.charted + 1, before.asked + 1]);
        assert.ok(after.charged > before.charged, `${after.charged}`);
        assert.equal(after.found[0], after.found[1]);
        before = after;
      }
    });

    test("the pages of vendors and alarms show one reason, colour and button for a paused vendor", async () => {
      await pause("dojah", "load");
      const now = await noticed(
        () => page("/"),
        (text) => text.includes("paused"),
      );
      assert.deepEqual(bandsIn(now), []);
      const places = { now, vendors: await page("/vendors"), vendor: await page(vendorPage) };
      for (const [place, text] of Object.entries(places)) {
        assert.match(text, /because it is slow or has too much to do/, place);
        assert.match(text, /<span class="pill warn">paused<\/span>/, place);
        assert.doesNotMatch(text, /<span class="id">load<\/span>|pill bad/, place);
      }
      assert.match(places.vendor, /Not asked for BVN and NIN while it is paused\./);
      assert.doesNotMatch(places.vendor, /asked first/i);
      assert.match(now, /<h3>Ends by itself<\/h3><ol><li class="warn"><div><strong>The vendor Dojah is paused/);
      assert.match(now, /<a class="button" href="\/routes\/resume\?vendor=dojah">Resume Dojah<\/a>/);
      const all = await page("/alarms/list");
      assert.match(all, /<h3>Ends by itself<\/h3><ol><li class="warn"><div><strong>The vendor Dojah is paused/);
      assert.match(all, /<a class="button" href="\/routes\/resume\?vendor=dojah">Resume Dojah<\/a>/);
      assert.equal(textOf(all).match(/Dojah is paused/g)!.length, 1);
      assert.match(places.vendor, /<a class="button main" href="\/routes\/resume\?vendor=dojah">Resume Dojah…<\/a>/);
      for (const text of [places.vendor, places.vendors]) assert.doesNotMatch(text, /(?:Resume|Pause) all/);
      assert.match(places.vendors, />Resume Dojah…<\/a>[\s\S]*>Pause QoreID…<\/a>/);
      assert.match(places.vendor, /<a class="button" href="\/upstreams\/test\?name=dojah">Try Dojah…<\/a>/);
      for (const text of [now, await duba("status")]) assert.doesNotMatch(text, /End it/);
    });

    test("a pause with an end needs no action, but a pause without an end needs action", async () => {
      const needs = async () => (await duba("status")).split("\n\n").at(-1)!;
      assert.doesNotMatch(await needs(), /dojah/);
      await pause("dojah", "key");
      assert.match(await needs(), /The vendor dojah is paused by terminal:\S+ until somebody resumes it/);
      const now = await page("/");
      assert.match(now, /<h3>Waits for somebody[\s\S]*<strong>The vendor Dojah is paused/);
      assert.doesNotMatch(now, /Ends by itself/);
      await pause("dojah", "load");
    });

    test("an alarm that stops the service is a band with a button on every page until it ends", async () => {
      await pause("qoreid", "answers");
      await noticed(
        () => page("/"),
        (text) => bandsIn(text).length === 1,
      );
      for (const path of [...pages, vendorPage]) {
        const [band, ...others] = await noticed(
          async () => bandsIn(await page(path)),
          ({ length }) => length === 1,
        );
        assert.deepEqual(others, [], path);
        assert.match(textOf(band!), /have no vendor for BVN and NIN, so each is answered 503 Since /, path);
        // The vendor that no alert mentions comes first.
        assert.match(band!, /<a class="button main" href="\/routes\/resume\?vendor=dojah">Resume Dojah<\/a>/, path);
      }
      const now = await page("/");
      assert.match(now, /<h3>Stops the service[\s\S]*<li class="bad"><div><strong>Live verifications have no vendor/);
      for (const text of [now, await page("/alarms/list"), await page("/status")])
        assert.doesNotMatch(text, /<strong>The vendor/, "what the band says stands in no other row");
      assert.equal((await duba("status")).match(/The vendor dojah is paused/g)!.length, 1);
      const menu = /<button[^>]*popovertarget="menu"[^>]*>[\s\S]*?<\/button>/;
      const open = now.match(/<li class="(?:bad|warn)">/g)!.length;
      const [button = ""] = menu.exec(await page("/vendors")) ?? [];
      assert.match(button, /<span class="count bad">/);
      assert.match(button, new RegExp(`aria-label="Menu, ${open} need a hand"`));
      assert.doesNotMatch(menu.exec(now)![0], /count/, "Now says it, and refreshes");
      const itself = await page("/routes/resume?vendor=dojah");
      assert.doesNotMatch(bandsIn(itself).join(), /Resume Dojah/);
      await resume("dojah");
      for (const path of ["/", ...pages, vendorPage]) assert.deepEqual(bandsIn(await page(path)), [], path);
      await resume("qoreid");
    });

    test("a vendor with an empty wallet says how it comes back, with a button that tries it", async () => {
      vendor.behaviour = json(402, { error: "insufficient balance" });
      const now = await noticed(
        async () => {
          await verify();
          return page("/");
        },
        (text) => text.includes("Dojah has an empty wallet"),
      );
      assert.match(now, /<a class="button[^"]*" href="\/upstreams\/test\?name=dojah">Try Dojah<\/a>/);
      assert.match(textOf(now), /The vendor Dojah has an empty wallet\. /);
      assert.match(now, /<span class="pill warn">wallet is empty<\/span>/);
      const about = textOf(await page(vendorPage));
      assert.match(about, /Asked for BVN and NIN only to see whether it works again\./);
      assert.doesNotMatch(about, /asked first/i);
      const process = about.split("Serving processes")[1]!;
      assert.match(process, /wallet is empty/);
      assert.doesNotMatch(process, /waits after failures|balance at the vendor/);
      vendor.behaviour = json(200, found);
    });

    test("an empty wallet of the last vendor is shown in the alarm of the outage, not in its own row", async () => {
      vendor.behaviour = json(402, { error: "insufficient balance" });
      await pause("qoreid", "answers");
      const now = await noticed(
        async () => {
          await verify();
          return page("/");
        },
        (text) => bandsIn(text).join().includes("Dojah has an empty wallet"),
      );
      assert.match(
        textOf(bandsIn(now)[0]!),
        /QoreID is paused .* Dojah has an empty wallet\. Top up at the vendor, then try it\./,
      );
      for (const text of [now, await page("/alarms/list")]) assert.doesNotMatch(text, /<strong>The vendor/);
      const { covers } = JSON.parse(await duba("alarms", "list", "--json"))[0];
      assert.deepEqual(covers, ["paused:qoreid", "vendor:dojah"]);
      vendor.behaviour = json(200, found);
      await resume("qoreid");
    });

    test("on the page Now, the choice of Hour or Day also changes the vendors' figures and their heading", async () => {
      const { db } = await operators.service.store();
      const begins_at = Date.now() - (Date.now() % 3_600_000) - 10 * 3_600_000;
      const key = { span: "hour", begins_at, account_id: "a", mode: "live", kind: "nin", vendor: "dojah" };
      await addSum(db, key, { attempts: 1, verified: 1 });
      const rowsIn = (text: string) => /<h2>Vendors, .*?<\/table>/s.exec(text)![0];
      const [day, hour] = [rowsIn(await page("/?range=day")), rowsIn(await page("/?range=hour"))];
      assert.match(day, /^<h2>Vendors, 24 hours<\/h2>.*data-label="NIN found">100 %</s);
      assert.match(hour, /^<h2>Vendors, since \d\d:00<\/h2>.*data-label="BVN found">[\d.]+ %</s);
      assert.doesNotMatch(hour, /data-label="NIN found">\d/);
      assert.match(await page("/now/tables?range=hour"), /<h2>Vendors, since /);
    });

    test("the figure of live verifications equals the sum of its chart", async () => {
      await operators.service.verify();
      const now = textOf(await page("/"));
      const [, calls] = /Live verifications, 24 hours (\d+)/.exec(now)!;
      const [, chart = ""] = /Live verifications an hour (.*?)[a-z]* \d\d:00/.exec(now)!;
      const sum = [...chart.matchAll(/(\d+) (?:verified|no match|refused|failed)/g)].reduce(
        (all, [, n]) => all + Number(n),
        0,
      );
      assert.equal(Number(calls), sum, now);
      const [, answered] = /Answered, 24 hours ([\d.]+) %/.exec(now)!;
      assert.ok(Number(answered) < 100, now);
      assert.match(now, /Charged, 24 hours .* Margin, 24 hours/);
    });
  });

test("no vendor is shown as healthy while the store takes no writes", async () => {
  const operators = await startOperators(engines[0]!, {
    DUBA_UPSTREAMS: "dojah",
    DUBA_DOJAH_URL: "http://127.0.0.1:9",
    DUBA_DOJAH_APP_ID: "app",
    DUBA_DOJAH_KEY: "key",
  });
  const { service } = operators;
  const page = async (path: string) => (await operators.send(path, { cookie: operators.by.officer.cookie })).text;
  const { dataDirectory } = service.settings;
  const told = async (...argv: string[]) => (await ran(argv, { environment: { DUBA_DATA: dataDirectory } })).out;
  try {
    await noticed(
      () => page("/vendors"),
      (text) => /Dojah[\s\S]*>serves</.test(text),
    );
    assert.match(await told("status"), /^vendors +dojah$/m);
    const { db } = await service.store();
    await db
      .insertInto("fact")
      .values({ name: "probe", value: "", created_at: 1 })
      .onConflict((on) => on.doNothing())
      .execute();
    await sql.raw("create trigger full before update on fact begin select raise(abort, 'disk full'); end").execute(db);
    // Longer than a silent process counts as running.
    await db
      .updateTable("upstream_status")
      .set({ noted_at: Date.now() - 120_000 })
      .execute();
    for (const deed of ["insert", "update"])
      await sql
        .raw(
          `create trigger full_${deed} before ${deed} on upstream_status begin select raise(abort, 'disk full'); end`,
        )
        .execute(db);
    for (const path of ["/", "/vendors", "/upstreams/status", vendorPage]) {
      const text = await page(path);
      assert.match(text, /<span class="pill warn">not asked<\/span>/, path);
      assert.doesNotMatch(text, />serves</, path);
    }
    assert.match(await page(vendorPage), /Not asked while the store takes no writes\./);
    assert.match(await told("status"), /^vendors +dojah \(not asked\)$/m);
    assert.match(await told("routes", "show"), / not asked /);
  } finally {
    await service.close();
  }
});

test("the page Now says only once that nothing needs action", async () => {
  const operators = await startOperators(engines[0]!, {});
  try {
    const { text } = await operators.send("/", { cookie: operators.by.officer.cookie });
    assert.equal(text.match(/Nothing needs a hand/g)?.length, 1);
    assert.match(text, /<a href="\/alarms\/list">All alarms<\/a>/);
  } finally {
    await operators.service.close();
  }
});

test("a store that refuses writes is listed as an alarm, with its runbook section", async () => {
  const operators = await startOperators(engines[0]!, {});
  const { service } = operators;
  try {
    const { db } = await service.store();
    await sql.raw("create trigger full before update on fact begin select raise(abort, 'disk full'); end").execute(db);
    const cookie = operators.by.officer.cookie;
    const text = await noticed(
      async () => (await operators.send("/", { cookie })).text,
      (text) => bandsIn(text).length === 1,
    );
    for (const path of ["/", ...pages.filter((path) => path !== "/status"), vendorPage]) {
      const [band = ""] = bandsIn((await operators.send(path, { cookie })).text);
      assert.match(band, /<a class="button main" href="\/status">See the status<\/a>/, path);
    }
    const [, list = ""] = text.split("Needs a hand");
    assert.match(list, /<li class="bad"><div><strong>The store takes no writes[\s\S]*?DubaStoreAway[\s\S]*?<time /);
    const { dataDirectory } = service.settings;
    const { out } = await ran(["status"], { environment: { DUBA_DATA: dataDirectory } });
    assert.match(
      out,
      /\nThe store takes no writes, .*\n {2}since \d{4}-\d\d-\d\d \d\d:\d\d\S*; runbook: DubaStoreAway\n/,
    );
  } finally {
    await service.close();
  }
});
