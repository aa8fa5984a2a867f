import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import { type Operators, startOperators } from "./operators.fixture.ts";

for (const engine of usualEngines)
  suite(`the search box of the console on ${engine.name}`, () => {
    let operators: Operators;
    let reference: string;
    before(async () => {
      operators = await startOperators(engine);
      const response = await operators.service.verify();
      reference = response.json.data.request_reference;
    });
    after(() => operators.service.close());

    const find = (text: string) => operators.post("/find", operators.by.viewer, { text });

    test("a pasted reference opens its verification, whose page links to related records", async () => {
      const { text } = await find(reference);
      assert.match(text, new RegExp(`<h1>BVN ending 0017</h1>.*${reference}.*What happened.*Sandbox`, "s"));
      const links = ["accounts/show?account=", "keys/show?id=", "requests/list?request_id="].map(
        (place) => text.split(`href="/${place}`)[1]?.split('"')[0],
      );
      assert.ok(
        links.every((name) => name),
        JSON.stringify(links),
      );
      const account = await operators.send(`/accounts/show?account=${links[0]}`, {
        cookie: operators.by.viewer.cookie,
      });
      assert.match(account.text, /sandbox@example\.com/);
      const key = await operators.send(`/keys/show?id=${links[1]}`, { cookie: operators.by.operator.cookie });
      assert.doesNotMatch(key.text, /\/endpoints\/test/, "an endpoint has an id of another family");
    });

    test("a form shows the current value, the default, and the accounts to choose from", async () => {
      const { cookie } = operators.by.operator;
      const page = async (path: string) => (await operators.send(path, { cookie })).text;
      const terms = await page("/accounts/change?account=sandbox@example.com");
      assert.match(terms, /id="f-prepaid"[^>]*>.*?<option value="off" selected>/s);
      assert.match(terms, /value=""[^>]* id="f-limit_in_flight"[^>]* placeholder="Default"/);
      assert.match(terms, /list="accounts".*<datalist id="accounts"><option value="sandbox@example\.com">/s);
      assert.doesNotMatch(await page("/accounts/change?account=nobody@example.com"), /name="_was"/);
    });

    test("the search box finds the reference in a client's sentence", async () => {
      assert.match((await find(`Ref: ${reference} please`)).text, /<h1>BVN ending 0017<\/h1>/);
    });

    test("the search box suggests names while typing, and nothing for a person's number", async () => {
      const typed = async (text: string) =>
        (await operators.post("/find?_names=1", operators.by.viewer, { text })).text;
      assert.match(await typed("sandb"), /^<li><a href="\/accounts\/show\?account=sandbox%40example\.com">Sandbox /);
      assert.deepEqual([await typed("sa"), await typed("sandb 220 000"), await typed("nobody")], ["", "", ""]);
      await operators.service.newAccount("Shop-220\u2011000");
      assert.match(await typed("shop-220"), /^<li>/);
      assert.equal(await typed("shop-220\u2011000"), "");
    });

    test("a field suggests matches while typing if it has many choices, and else offers all choices", async () => {
      const { db, now } = await operators.service.store();
      const { cookie } = operators.by.operator;
      const form = async () => (await operators.send("/accounts/top-up", { cookie })).text;
      assert.doesNotMatch(await form(), /data-typed/);
      const terms = { suspended_at: null, fees: "{}", answers: "full", terms: "{}", address: null, tax_number: null };
      const more = Array.from({ length: 500 }, (_, at) => {
        const own = { id: `acc_many${at}`, name: `Kiosk ${at}`, email: `kiosk${at}@example.com` };
        return { ...own, ...terms, created_at: now() };
      });
      await db.insertInto("account").values(more).execute();
      assert.match(await form(), /list="accounts".*<datalist id="accounts" data-typed><\/datalist>/s);
      const typed = async (list: string, text: string, who = operators.by.viewer) =>
        (await operators.post(`/find?_names=${list}`, who, { text })).text;
      assert.equal(
        await typed("accounts", "IOSK 49"),
        [49, ...Array.from({ length: 10 }, (_, at) => 490 + at)]
          .map((at) => `<option value="kiosk${at}@example.com">Kiosk ${at}</option>`)
          .join(""),
      );
      assert.deepEqual([await typed("accounts", "ki"), await typed("accounts", "nobody")], ["", ""]);
      assert.match(await typed("keys", "sandbox"), /^<option value="\w{12}">/);
      assert.doesNotMatch(await typed("people", "example"), /<option/);
      await db.deleteFrom("account").where("id", "like", "acc_many%").execute();
    });

    test("the search box offers the records that the person opened last in this session", async () => {
      const box = async (who: { cookie: string }) =>
        /id="found"[^>]*>(.*?)<\/ul>/s.exec((await operators.send("/vendors", { cookie: who.cookie })).text)![1]!;
      await operators.send(`/ledger/show?reference=${reference}`, { cookie: operators.by.officer.cookie });
      assert.match(await box(operators.by.officer), /^<li><a href="\/ledger\/show\?reference=.*>BVN ending 0017 /);
      assert.doesNotMatch(await box(operators.by.operator), /BVN ending 0017/);
    });

    test("a verification links to a refund of its remaining charge, and the form returns to it", async () => {
      const { confirm, send, by } = operators;
      const page = async () => (await send(`/ledger/show?reference=${reference}`, { cookie: by.officer.cookie })).text;
      const [, link = ""] = /href="(\/books\/adjust\?[^"]+)">Give back ₦[\d,]+\.\d\d…/.exec(await page()) ?? [];
      const given = Object.fromEntries(new URLSearchParams(link.split("?")[1]!.replaceAll("&amp;", "&")));
      assert.equal(given.reference, reference);
      const done = await confirm("/books/adjust", by.officer, { ...given, reason: "Charged twice" });
      assert.match(done.text, /class="outcome landed"[\s\S]* given back to /);
      assert.match(done.text, /<h1>BVN ending 0017</);
      assert.match(await page(), /Gave back ₦/);
      assert.doesNotMatch(await page(), /Give back/);
    });

    test("lists of any length show and find clients by name", async () => {
      const { service, send, by } = operators;
      const { db } = await service.store();
      const numbers = Array.from({ length: 601 }, (_, at) => String(at).padStart(12, "0"));
      const accounts = numbers.map((number) => ({
        id: `acc_${number}`,
        name: `Stall ${number}`,
        email: `s${number}@example.com`,
        created_at: 1,
        suspended_at: null,
        fees: "{}",
        answers: "full",
        terms: "{}",
      }));
      const keys = numbers.map((number) => ({
        id: number,
        account_id: `acc_${number}`,
        mode: "test" as const,
        label: "",
        scopes: "[]",
        addresses: "[]",
        secret_hash: number,
        bootstrap: 0 as const,
        created_at: 1,
        expires_at: null,
        revoked_at: null,
      }));
      await db.insertInto("account").values(accounts).execute();
      await db.insertInto("api_key").values(keys).execute();
      const { text } = await send("/keys?_find=Stall+000000000600", { cookie: by.viewer.cookie });
      assert.match(text, /href="\/accounts\/show\?account=s000000000600%40example\.com">Stall 000000000600</);
    });

    test("the search lists records by name, and its pages never repeat a person's number", async () => {
      const { text } = await find("sandbox");
      assert.match(text, /<h1>Find<\/h1>.*>Sandbox<.*href="\/accounts\/show\?account=sandbox%40example\.com">Open</s);
      const refused = await find("2200 0000 017");
      assert.equal(refused.status, 200);
      assert.match(refused.text, /Duba does not search by a BVN/);
      assert.doesNotMatch(refused.text, /2200 ?0000/);
      const byUrl = await operators.send("/find?text=22000000017&_run=1", { cookie: operators.by.viewer.cookie });
      assert.doesNotMatch(byUrl.text, /22000000017/);
    });
  });
