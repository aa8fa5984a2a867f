import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import type { TestService } from "../../../test/support/service.ts";
import { pagesOfFeatures } from "../../features.ts";
import { everyCommand } from "../../wire/every-command.ts";
import { everyRecord } from "../../wire/every-record.ts";
import { formType, type Operators, startOperators } from "./operators.fixture.ts";
import { beginSession, endSession } from "./people/sessions.ts";
import { localPath } from "./routes/sign-in-routes.ts";
import { siteMap } from "./site-map.ts";

const json = { "Content-Type": "application/json" };
const commands = (await everyCommand()).filter(({ only, store }) => only !== "terminal" && store !== "own");

for (const engine of usualEngines)
  suite(`attacks on the console on ${engine.name}`, () => {
    let operators: Operators;
    let service: TestService;
    let origin: string;
    let send: Operators["send"];
    let post: Operators["post"];
    let by: Operators["by"];

    before(async () => {
      operators = await startOperators(engine);
      ({ service, origin, send, post, by } = operators);
    });
    after(() => service.close());

    test("every answer forbids frames, other origins and inline scripts", async () => {
      const { cookie } = by.viewer;
      for (const path of ["/", "/sign-in", "/join", "/nothing", "/assets/console.css", "/healthz"]) {
        const { headers } = await send(path, { cookie });
        const policy = String(headers["content-security-policy"]);
        assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
        assert.doesNotMatch(policy, /unsafe|\*|https?:/);
        assert.equal(headers["x-frame-options"], "DENY");
        assert.equal(headers["x-content-type-options"], "nosniff");
      }
    });

    test("a form sent after the session ended changes nothing, and only its author sees it again", async () => {
      const typed = {
        _person: by.officer.id,
        number: "22000000017",
        name: '<b>"Shop"',
        email: "late@example.com",
        _passkey: "{}",
      };
      const sendTyped = (path: string, sent: { cookie?: string; from?: string; fields?: object } = {}) =>
        send(path, {
          method: "POST",
          body: new URLSearchParams({ ...typed, ...sent.fields }).toString(),
          headers: { ...formType, Origin: sent.from ?? origin, "Sec-Fetch-Mode": "navigate" },
          ...(sent.cookie && { cookie: sent.cookie }),
        });
      const { db } = await service.store();
      const rows = async () =>
        Promise.all([
          db.selectFrom("account").select("email").where("email", "=", typed.email).execute(),
          db.selectFrom("sent_form").select("id").execute(),
          db.selectFrom("audit_entry").select("id").where("kind", "!=", "console.refused").execute(),
        ]);
      const before = await rows();

      const stranger = await sendTyped("/accounts/create");
      assert.equal(stranger.status, 401);
      assert.match(stranger.text, /name="name" value="&lt;b&gt;&quot;Shop&quot;"/);
      assert.match(stranger.text, /action="\/accounts\/create\?_typed=1"/);
      assert.doesNotMatch(stranger.text, /_passkey|22000000017/);
      // The number of a person is private.
      assert.doesNotMatch((await sendTyped("/subjects/export")).text, /22000000017/);
      for (const cookie of [undefined, by.officer.cookie])
        for (const path of ["/accounts/create", "/accounts/create?_typed=1"])
          assert.equal(
            (await sendTyped(path, { from: "https://evil.example", ...(cookie && { cookie }) })).status,
            403,
          );
      const large = await sendTyped("/accounts/create", { fields: { name: "x".repeat(70_000) } });
      assert.deepEqual([large.status, /xxx/.test(large.text)], [401, false]);

      const again = await sendTyped("/accounts/create?_typed=1", { cookie: by.officer.cookie });
      assert.match(again.text, /Look at what you typed[\s\S]*value="late@example.com"/);
      const other = await sendTyped("/accounts/create?_typed=1", { cookie: by.operator.cookie });
      assert.deepEqual([other.status, other.headers.location], [303, "/accounts/create"]);
      assert.equal((await sendTyped("/accounts/create?_typed=1", { cookie: by.viewer.cookie })).status, 403);
      assert.deepEqual(await rows(), before);
    });

    test("a form from another origin, or without its session's token, changes nothing", async () => {
      const fields = { name: "Mallory", email: "mallory@example.com" };
      const other = { Origin: "https://evil.example" };
      const { token } = by.officer;
      const { cookie } = by.operator;
      const plain = { method: "POST", cookie, body: new URLSearchParams(fields).toString() };
      const before = (await operators.refusals()).length;
      for (const reply of [
        await post("/accounts/create", by.operator, fields, other),
        await post("/accounts/create", by.operator, fields, { Origin: "null" }),
        await post("/accounts/create", by.operator, fields, { "Sec-Fetch-Site": "cross-site" }),
        await post("/accounts/create", by.operator, { ...fields, _token: token }),
        await send("/accounts/create", { ...plain, headers: { ...formType, Origin: origin } }),
        await send("/accounts/create", { ...plain, headers: formType }),
      ])
        assert.equal(reply.status, 403);
      assert.equal((await operators.refusals()).length, before + 6);
      const { db } = await service.store();
      assert.deepEqual(await db.selectFrom("account").select("id").where("email", "=", fields.email).execute(), []);
      const made = await post("/accounts/create", by.operator, fields);
      assert.match(made.text, /The account .+ is created/);
    });

    test("nobody can change their own role, and another person's form token has no effect", async () => {
      const own = { person: "officer@example.com", role: "viewer" };
      assert.match((await post("/people/change", by.officer, own)).text, /You cannot change your own role/);
      const _token = by.officer.token;
      assert.equal((await post("/keys/revoke?_confirm=1", by.operator, { _token, id: "x" })).status, 403);
      assert.equal((await post("/sign-out", by.operator, { _token })).status, 403);
      assert.equal((await send("/keys", { cookie: by.operator.cookie })).status, 200);
    });

    test("a problem never repeats a credential that somebody pasted", async () => {
      const pasted = `duba_test_${"a".repeat(12)}_${"b".repeat(49)}`;
      const { text } = await post("/keys/revoke", by.operator, { id: pasted });
      const [, problem = ""] = /<div class="band problem"([\s\S]*?)<\/div>/.exec(text) ?? [];
      assert.match(problem, /No key has the public id/);
      assert.ok(!problem.includes(pasted));
    });

    test("a cookie that we did not issue, or that was signed out, opens no page", async () => {
      const store = await service.store();
      const secret = await beginSession(store.db, by.viewer.id, store.now());
      const cookie = `duba_console=${secret}`;
      assert.equal((await send("/keys", { cookie })).status, 200);
      await endSession(store.db, secret);
      for (const stolen of [cookie, "duba_console=planted", "duba_console="]) {
        const reply = await send("/keys", { cookie: stolen });
        assert.deepEqual([reply.status, reply.headers.location], [303, "/sign-in?next=%2Fkeys"]);
      }
      assert.equal((await send("/now/live")).status, 401);
    });

    test("HTML in a name or a note is shown as text on every page", async () => {
      const evil = `<img src=x onerror="alert(1)">`;
      const email = `"><img@example.com`;
      await post("/accounts/create", by.operator, { name: evil, email });
      await post("/keys/create", by.operator, { account: email, label: evil });
      await operators.confirm("/people/change", by.officer, { person: "viewer@example.com", name: evil });
      await operators.confirm("/catalogue/edit", by.operator, { code: "MTNDATA 104", price: "105", note: evil });
      await operators.confirm("/catalogue/edit", by.operator, { code: "MTNDATA 104", price: "9000", note: evil });
      await post("/alarms/acknowledge", by.operator, { alarm: "held:d3", note: evil });
      await operators.confirm("/prices/set", by.operator, { account: email, codes: "dstv", margin: "1", note: evil });
      await operators.confirm("/accounts/change", by.operator, { account: email, prepaid: "on" });
      await operators.confirm("/accounts/top-up", by.operator, { account: email, amount: "5", reason: evil });
      await operators.confirm("/books/adjust", by.officer, {
        account: email,
        credit: "5",
        reason: `Twice ${evil}`,
        sure: "true",
      });
      const body = { bvn: "00000000006", phone: "08000000006", amount: "100" };
      const headers = { "Consent-Reference": `<img-${engine.name}>` };
      await service.ask("/api/v2/kyc/verify-bvn", { method: "POST", body, headers });
      const { cookie } = by.officer;
      const query = `?account=${encodeURIComponent(evil)}&_find=${encodeURIComponent(evil)}&_sort=${encodeURIComponent(evil)}`;
      for (const path of [
        ...siteMap(commands, pagesOfFeatures, everyRecord).places.map((place) => place.path),
        "/now/live",
        "/audit?lines=100",
        "/catalogue/show?revision=d3",
        "/alarms/list",
        `/keys${query}`,
        `/accounts${query}`,
      ]) {
        const { status, text } = await send(path, { cookie });
        assert.equal(status, 200, path);
        assert.doesNotMatch(text, /<img/, path);
      }
      assert.match((await send("/accounts", { cookie })).text, /&lt;img src=x onerror=/);
      assert.match((await send("/catalogue", { cookie })).text, /&lt;img/);
      assert.match((await send("/", { cookie })).text, /Acknowledged by [^<]*(?:<time[^>]*>[^<]*<\/time>)?: &lt;img/);
      const { text } = await send("/audit?lines=100", { cookie });
      for (const kind of ["Catalogue revised", "Account topped up", "Books adjusted"])
        assert.match(text, new RegExp(`>${kind}[:<](?:(?!</tr>)[^])*&lt;img src=x`), kind);
    });

    test("invisible characters are removed from texts, and a name with nothing else is refused", async () => {
      const { db } = await service.store();
      const { cookie } = by.operator;
      const nameOf = async (email: string) =>
        (await db.selectFrom("account").select("name").where("email", "=", email).executeTakeFirst())?.name;
      const create = async (name: string, email: string) =>
        (await post("/accounts/create", by.operator, { name, email })).status;
      // A NUL, which PostgreSQL refuses; marks that reverse the following text; invisible characters copied with an
      // e-mail.
      assert.equal(await create("Mark\0et \u202eof\u2066 Jos\u200b", "jos\u200b@exam\ufeffple.com"), 200);
      assert.equal(await nameOf("jos@example.com"), "Market of Jos");
      assert.match(
        (await send("/accounts/show?account=jos%E2%80%8B@example.com%00", { cookie })).text,
        /<h1>Market of Jos</,
      );
      await create("👩‍🌾 Farm", "farm@example.com");
      assert.equal(await nameOf("farm@example.com"), "👩‍🌾 Farm");
      for (const name of ["\u200b\0", "x".repeat(2_001)]) {
        await create(name, "unseen@example.com");
        assert.equal(await nameOf("unseen@example.com"), undefined);
      }
      for (const path of [
        "/accounts/create?_done=%00",
        "/accounts/change?account=%00@x",
        "/accounts/create?email=%00@x.y",
      ])
        assert.ok((await send(path, { cookie })).status < 400, path);
    });

    test("notes and names never keep a person's number, in any spelling", async () => {
      const { db } = await service.store();
      const account = await service.newAccount("Notes");
      const written = ["0803\u2011123\u20114567", "(0803) 123-4567", "0803\u00a0123\u00a04567", "+234 (803) 123–4567"];
      for (const number of written) {
        await post("/accounts/note", by.operator, { account, note: `Asked ${number} on 2026-11-01 at 10:30` });
        await post("/accounts/create", by.operator, { name: `Mr ${number}`, email: "of-a-person@example.com" });
        await post("/keys/create", by.operator, { account, label: `Till ${number}` });
      }
      const kept = await Promise.all([
        db.selectFrom("audit_entry").select("facts").execute(),
        db.selectFrom("account").select("name").execute(),
        db.selectFrom("api_key").select("label").execute(),
      ]);
      assert.doesNotMatch(JSON.stringify(kept), /0803|803[) ]|4567/);
      assert.equal(JSON.stringify(kept).split("Asked ").length, written.length + 1);
    });

    test("malicious paths are refused, and wrong hosts and addresses lead to the console", async () => {
      const { cookie } = by.officer;
      for (const path of [
        "//evil.example",
        "/../etc/passwd",
        "/%2e%2e/x",
        "/assets/../console.ts",
        "/assets/%2e%2e%2fx",
        "/keys/",
        "/Keys",
        "/assets/constructor",
      ])
        assert.equal((await send(path, { cookie })).status, 404, path);
      const moved = await send("/keys", { headers: { Host: "127.0.0.1:1" } });
      assert.equal(moved.headers.location, `${origin}/keys`);
      for (const next of ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:x", null])
        assert.equal(localPath(next), "/");
      assert.equal(localPath("/keys?account=a%40b.c"), "/keys?account=a%40b.c");
    });

    test("a refused request for a part of the page Now is answered with one line, not with a whole page", {
      skip: process.platform !== "linux" && "Only Linux has further addresses of its own.",
    }, async () => {
      const from = "127.0.0.7";
      for (let at = 0; at < 1_200; at += 40)
        await Promise.all(Array.from({ length: 40 }, () => send("/healthz", { from })));
      const { status, text } = await send("/now/alarms", { from, cookie: by.viewer.cookie });
      assert.equal(status, 429);
      assert.match(text, /^<p class="wrong" role="alert">Too many requests\. Try again in \d+ seconds\.<\/p>$/);
      assert.match((await send("/keys", { from, cookie: by.viewer.cookie })).text, /<main/);
    });

    test("500 sign-in attempts a minute exceed the rate limit, and large bodies are refused", async () => {
      const large = await send("/sign-in", {
        method: "POST",
        headers: { ...json, Origin: origin },
        body: `{"a":"${"x".repeat(70_000)}"}`,
      });
      assert.equal(large.status, 413);
      const statuses = new Map<number, number>();
      for (let attempt = 0; attempt < 500; attempt++) {
        const body = JSON.stringify({ response: { id: `guess${attempt}` } });
        const { status } = await send("/sign-in", { method: "POST", headers: { ...json, Origin: origin }, body });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      assert.deepEqual([...statuses.keys()].sort(), [403, 429]);
      assert.ok(statuses.get(403)! <= 60);
    });
  });
