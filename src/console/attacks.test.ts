import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, suite, test } from "node:test";
import { engines } from "../../test/support/engines.ts";
import { startService, type TestService } from "../../test/support/service.ts";
import { invitePerson } from "../access/people/people-rows.ts";
import { beginSession, endSession, findSession } from "../access/people/sessions.ts";
import { append } from "../audit/append.ts";
import { everyCommand } from "../commands/families.ts";
import { mayRun, type Role, roles } from "../operation/command.ts";
import { localPath } from "./routes/sign-in-routes.ts";
import { siteMap } from "./site-map.ts";

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  cookie?: string;
}

const form = { "Content-Type": "application/x-www-form-urlencoded" };
const json = { "Content-Type": "application/json" };
const commands = (await everyCommand()).filter(({ face, store }) => face !== "terminal" && store !== "own");

for (const engine of engines)
  suite(`attacks on the console on ${engine.name}`, () => {
    let service: TestService;
    let origin: string;
    const sessions = new Map<Role, { cookie: string; token: string; id: string }>();

    before(async () => {
      service = await startService({ DUBA_CONSOLE: "127.0.0.1:0" }, engine);
      origin = service.console!.origin;
      const store = await service.store();
      for (const role of roles) {
        const room = { db: store.db, audit: append, actor: "terminal", now: store.now };
        const { person } = await invitePerson(room, { email: `${role}@example.com`, role });
        const secret = await beginSession(store.db, person.id, store.now());
        const session = await findSession(store.db, secret, store.now(), false);
        sessions.set(role, { cookie: `duba_console=${secret}`, token: session!.formToken, id: person.id });
      }
    });
    after(() => service.close());

    const send = (path: string, { method = "GET", headers = {}, body, cookie }: Sent = {}) =>
      new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
        const { port } = new URL(origin);
        const all = { Host: `localhost:${port}`, ...(cookie && { Cookie: cookie }), ...headers };
        const asking = request({ host: "127.0.0.1", port, path, method, headers: all, agent: false }, (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (part: string) => {
            text += part;
          });
          response.on("end", () => resolve({ status: response.statusCode!, headers: response.headers, text }));
        });
        asking.on("error", reject).end(body);
      });
    const post = (path: string, role: Role, fields: Record<string, string>, headers: Record<string, string> = {}) => {
      const { cookie, token } = sessions.get(role)!;
      const body = new URLSearchParams({ _token: token, ...fields }).toString();
      return send(path, { method: "POST", cookie, body, headers: { ...form, Origin: origin, ...headers } });
    };
    const refusals = async () => {
      const { db } = await service.store();
      const rows = await db.selectFrom("audit_entry").select("facts").where("kind", "=", "console.refused").execute();
      return rows.map(({ facts }) => JSON.parse(facts) as { person: string; reason: string; command?: string });
    };

    test("every answer forbids frames, other origins and inline scripts", async () => {
      const { cookie } = sessions.get("viewer")!;
      for (const path of ["/", "/sign-in", "/join", "/nothing", "/assets/console.css", "/healthz"]) {
        const { headers } = await send(path, { cookie });
        const policy = String(headers["content-security-policy"]);
        assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
        assert.doesNotMatch(policy, /unsafe|\*|https?:/);
        assert.equal(headers["x-frame-options"], "DENY");
        assert.equal(headers["x-content-type-options"], "nosniff");
      }
    });

    test("no role runs or sees the form of a command above it, and the audit trail keeps each attempt", async () => {
      const before = (await refusals()).length;
      let refused = 0;
      for (const role of roles)
        for (const command of commands.filter((each) => !mayRun(role, each))) {
          const path = `/${command.id.replaceAll(".", "/")}`;
          assert.equal((await post(path, role, {})).status, 403, `${role} ran ${command.id}`);
          assert.equal((await send(path, { cookie: sessions.get(role)!.cookie })).status, 403, command.id);
          refused += 2;
        }
      assert.ok(refused > 20);
      const kept = (await refusals()).slice(before);
      assert.equal(kept.filter(({ reason, command }) => reason === "role" && command).length, refused);
    });

    test("a form of another origin, or without the token of its session, changes nothing", async () => {
      const fields = { name: "Mallory", email: "mallory@example.com" };
      const other = { Origin: "https://evil.example" };
      const { token } = sessions.get("officer")!;
      const { cookie } = sessions.get("operator")!;
      const plain = { method: "POST", cookie, body: new URLSearchParams(fields).toString() };
      const before = (await refusals()).length;
      for (const reply of [
        await post("/accounts/create", "operator", fields, other),
        await post("/accounts/create", "operator", fields, { Origin: "null" }),
        await post("/accounts/create", "operator", fields, { "Sec-Fetch-Site": "cross-site" }),
        await post("/accounts/create", "operator", { ...fields, _token: token }),
        await send("/accounts/create", { ...plain, headers: { ...form, Origin: origin } }),
        await send("/accounts/create", { ...plain, headers: form }),
      ])
        assert.equal(reply.status, 403);
      assert.equal((await refusals()).length, before + 6);
      const { db } = await service.store();
      assert.deepEqual(await db.selectFrom("account").select("id").where("email", "=", fields.email).execute(), []);
      const made = await post("/accounts/create", "operator", fields);
      assert.match(made.text, /Account acc_\w+ is created/);
    });

    test("a cookie that we did not make, or that was signed out, opens nothing", async () => {
      const store = await service.store();
      const secret = await beginSession(store.db, sessions.get("viewer")!.id, store.now());
      const cookie = `duba_console=${secret}`;
      assert.equal((await send("/keys", { cookie })).status, 200);
      await endSession(store.db, secret);
      for (const stolen of [cookie, "duba_console=planted", "duba_console="]) {
        const reply = await send("/keys", { cookie: stolen });
        assert.deepEqual([reply.status, reply.headers.location], [303, "/sign-in?next=%2Fkeys"]);
      }
      assert.equal((await send("/now/live")).status, 401);
    });

    test("HTML in a name or a note is text on every page", async () => {
      const evil = `<img src=x onerror="alert(1)">`;
      const email = `"><img@example.com`;
      await post("/accounts/create", "operator", { name: evil, email });
      await post("/keys/create", "operator", { account: email, label: evil });
      await post("/people/change", "officer", { person: "viewer@example.com", name: evil });
      await post("/catalogue/edit", "operator", { code: "MTNDATA 104", price: "105", note: evil });
      await post("/catalogue/edit", "operator", { code: "MTNDATA 104", price: "9000", note: evil });
      await post("/alarms/acknowledge", "operator", { alarm: "held:d3", note: evil });
      await post("/prices/set", "operator", { account: email, codes: "dstv", margin: "1", note: evil });
      await post("/accounts/terms", "operator", { account: email, prepaid: "on" });
      await post("/accounts/top-up", "operator", { account: email, amount: "5", reason: evil });
      await post("/books/adjust", "officer", { account: email, credit: "5", reason: `Twice ${evil}` });
      const body = { bvn: "00000000006", phone: "08000000006", amount: "100" };
      const headers = { "Consent-Reference": `<img-${engine.name}>` };
      await service.ask("/api/v2/kyc/verify-bvn", { method: "POST", body, headers });
      const { cookie } = sessions.get("officer")!;
      const query = `?account=${encodeURIComponent(evil)}&_find=${encodeURIComponent(evil)}&_sort=${encodeURIComponent(evil)}`;
      for (const path of [
        ...siteMap(commands).places.map((place) => place.path),
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
      assert.match((await send("/", { cookie })).text, /until [^<]*: &lt;img/);
      const { text } = await send("/audit?lines=100", { cookie });
      for (const kind of ["catalogue.revised", "account.topped_up", "books.adjusted"])
        assert.match(text, new RegExp(`>${kind.replace(".", "\\.")}<(?:(?!</tr>)[^])*&lt;img src=x`), kind);
    });

    test("paths and hosts with tricks lead nowhere", async () => {
      const { cookie } = sessions.get("officer")!;
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

    test("500 sign-in attempts a minute meet a limit, and large bodies are refused", async () => {
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
