import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { ran } from "../../../test/support/command-line.ts";
import { type FreshSettings, usualEngines } from "../../../test/support/engines.ts";
import { startService } from "../../../test/support/service.ts";
import { consoleClient, formType, type Operators, type SignedInOperator, startOperators } from "./operators.fixture.ts";

for (const engine of usualEngines)
  suite(`a form that was sent before on ${engine.name}`, () => {
    let operators: Operators;
    let officer: SignedInOperator;
    const account = "shop@example.com";
    const done = /This was done at <time[^>]*>[\d:]{8}<\/time>/;

    before(async () => {
      operators = await startOperators(engine);
      officer = operators.by.officer;
      await operators.service.newAccount("Shop");
      await operators.confirm("/accounts/change", officer, { account, prepaid: "on" });
    });
    after(() => operators.service.close());

    const rowsOf = async (table: "top_up" | "adjustment" | "api_key" | "account" | "sent_form") => {
      const { db } = await operators.service.store();
      return (await db.selectFrom(table).selectAll().execute()).length;
    };
    const topUp = () => ({ _form: randomUUID(), account, amount: "500", reason: "Cash" });

    test("a form sent twice acts once, even if confirmed twice, and the second answer has the result", async () => {
      const { confirm, post, send } = operators;
      for (const [path, table, fields] of [
        ["/accounts/top-up", "top_up", topUp()],
        [
          "/books/adjust",
          "adjustment",
          { _form: randomUUID(), account, credit: "5", reason: "Goodwill", sure: "true" },
        ],
      ] as const) {
        const before = await rowsOf(table);
        await confirm(path, officer, fields);
        for (const again of [await confirm(path, officer, fields), await post(path, officer, fields)]) {
          assert.match(again.text, done);
          const [, link = ""] = /<a href="([^"]+_did=[^"]+)"/.exec(again.text) ?? [];
          const shown = await send(link.replaceAll("&amp;", "&"), { cookie: officer.cookie });
          assert.match(shown.text, /class="outcome landed"[\s\S]*₦5(?:00)?\.00/, path);
          const other = await send(link.replaceAll("&amp;", "&"), { cookie: operators.by.operator.cookie });
          assert.doesNotMatch(other.text, /class="outcome/);
        }
        assert.equal(await rowsOf(table), before + 1);
      }
    });

    test("a form sent twice creates one key, and only the first answer has the secret", async () => {
      const { send } = operators;
      const body = new URLSearchParams({ _token: officer.token, _form: randomUUID(), account }).toString();
      const sent = { method: "POST", cookie: officer.cookie, body, headers: { ...formType, Origin: operators.origin } };
      const before = await rowsOf("api_key");
      const first = await send("/keys/create", sent);
      assert.equal(first.status, 200);
      assert.match(first.text, /duba_test_/);
      const again = await send("/keys/create", sent);
      assert.match(again.text, done);
      assert.doesNotMatch(again.text, /duba_test_[0-9A-Za-z]{12}_/);
      assert.equal(await rowsOf("api_key"), before + 1);
      const { db } = await operators.service.store();
      for (const { answer } of await db.selectFrom("sent_form").select("answer").execute())
        assert.doesNotMatch(answer ?? "", /duba_test_/);
    });

    test("a form redirects to its result, so that a reload does nothing", async () => {
      const { send } = operators;
      const fields = { _token: officer.token, _form: randomUUID(), name: "Till", email: "till@example.com" };
      const headers = { ...formType, Origin: operators.origin };
      const body = new URLSearchParams(fields).toString();
      const sent = await send("/accounts/create", { method: "POST", cookie: officer.cookie, body, headers });
      assert.deepEqual(
        [sent.status, sent.headers.location],
        [303, `/accounts/show?account=till%40example.com&_did=${fields._form}`],
      );
      const before = await rowsOf("account");
      for (const _ of [1, 2]) {
        const { text } = await send(String(sent.headers.location), { cookie: officer.cookie });
        assert.match(text, /The account .+ is created/);
      }
      assert.equal(await rowsOf("account"), before);
    });

    test("a form can be sent again after a problem, but never without its id", async () => {
      const { post } = operators;
      const _form = randomUUID();
      const fields = { _form, name: "Kiosk", email: "kiosk" };
      assert.match((await post("/accounts/create", officer, fields)).text, /must be an e-mail/);
      const fixed = await post("/accounts/create", officer, { ...fields, email: "kiosk@example.com" });
      assert.match(fixed.text, /is created/);
      const before = await rowsOf("account");
      for (const bad of ["", "short", "'"]) {
        const other = { _form: bad, name: "Other", email: "other@example.com" };
        assert.equal((await post("/accounts/create", officer, other)).status, 403);
      }
      assert.equal(await rowsOf("account"), before);
    });

    test("a long answer to a form is split into pages with URLs, and its CSV equals the terminal's", async () => {
      const { service, send, by } = operators;
      const { dataDirectory, databaseUrl } = service.settings;
      const environment = { DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
      const path = join(dataDirectory, "october.csv");
      const lines = Array.from({ length: 250 }, (_, at) => `D-${at},2026-10-05 10:00,50`);
      writeFileSync(path, ["reference,time,price", ...lines].join("\n"));
      const part = (name: string, text: string) =>
        `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
      const { cookie, token } = by.operator;
      const { status, headers } = await send("/books/reconcile", {
        method: "POST",
        cookie,
        headers: { Origin: operators.origin, "Content-Type": "multipart/form-data; boundary=x" },
        body: `${part("_token", token)}${part("vendor", "dojah")}${part('invoice"; filename="october.csv', readFileSync(path, "utf8"))}--x--`,
      });
      assert.equal(status, 303);
      const address = String(headers.location);
      const shown = async (change: string, who = by.operator) =>
        (await send(`${address}${change}`, { cookie: who.cookie })).text;
      const first = await shown("");
      assert.match(first, /Page 1 of 5, 250 rows/);
      const [, next = ""] = /<a href="([^"]+)">Next</.exec(first) ?? [];
      assert.match((await send(next.replaceAll("&amp;", "&"), { cookie })).text, /Previous[\s\S]*Page 2 of 5/);
      assert.match(await shown("&_find=D-249", by.officer), /D-249/);
      assert.equal(await shown("", by.viewer), "");
      const { out } = await ran(["books", "reconcile", path, "--vendor", "dojah", "--csv"], { environment });
      assert.equal(out.split("\n").length, 252);
      assert.equal(await shown("&_csv=1"), out);
      const sheet = await ran(["prices", "sheet", "--csv"], { environment });
      assert.equal((await send("/prices/sheet?_run=1&_csv=1", { cookie })).text, sheet.out);
    });

    test("a form that is sent twice at once acts once, on PostgreSQL even in two processes", async () => {
      const { service } = operators;
      const sameStore = {
        ...engine,
        ready: async () => ({ settings: service.settings as FreshSettings, dispose: async () => {} }),
      };
      const second =
        engine.name === "postgres" ? await startService({ DUBA_CONSOLE: "127.0.0.1:0" }, sameStore) : undefined;
      const beside = second ? consoleClient(second) : operators;
      const before = await rowsOf("top_up");
      const fields = topUp();
      const answers = await Promise.all(
        [operators, beside].map((console) => console.confirm("/accounts/top-up", officer, fields)),
      );
      await second?.close();
      assert.equal(await rowsOf("top_up"), before + 1);
      assert.equal(answers.filter(({ text }) => done.test(text)).length, 1);
    });
  });
