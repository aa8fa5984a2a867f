import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, suite, test } from "node:test";
import { usualEngines } from "../../../test/support/engines.ts";
import { freePort } from "../../../test/support/free-port.ts";
import { Line } from "../../../test/support/raw.ts";
import { startService } from "../../../test/support/service.ts";
import { softwarePasskey } from "../../../test/support/software-passkey.ts";
import { consoleClient, type Operators, startOperators } from "./operators.fixture.ts";
import { PasskeyError, signInOptions, verifySignIn } from "./people/passkeys.ts";

for (const engine of usualEngines)
  suite(`the ways into the console on ${engine.name}`, () => {
    let operators: Operators;

    before(async () => {
      operators = await startOperators(engine, { DUBA_TRUST_PROXY: "127.0.0.1", DUBA_EVENT_NETWORKS: "127.0.0.0/8" });
    });
    after(() => operators.service.close());

    const rowsOf = async (table: "passkey_challenge" | "console_session") => {
      const { db } = await operators.service.store();
      return (await db.selectFrom(table).selectAll().execute()).length;
    };
    const signInAs = async (passkey: ReturnType<typeof softwarePasskey>, challenge?: string) => {
      const asked = challenge ?? JSON.parse((await operators.sendJson("/sign-in/options", {})).text).challenge;
      return operators.sendJson("/sign-in", { response: passkey.sign(asked) });
    };

    test("a stranger's request for sign-in options stores no challenge", async () => {
      const before = await rowsOf("passkey_challenge");
      for (let time = 0; time < 5; time += 1)
        assert.equal((await operators.sendJson("/sign-in/options", {})).status, 200);
      assert.equal(await rowsOf("passkey_challenge"), before);
    });

    test("a challenge signs in only once, and only if the console issued it", async () => {
      const { passkey } = await operators.signIn("once@example.com", "viewer");
      const { challenge } = JSON.parse((await operators.sendJson("/sign-in/options", {})).text);
      assert.equal((await signInAs(passkey, challenge)).status, 200);
      assert.equal((await signInAs(passkey, challenge)).status, 403);
      const text = Buffer.from(challenge, "base64url").toString();
      for (const made of [
        text.replace(/^./, (first) => (first === "0" ? "1" : "0")),
        text.replace(/.$/, (last) => (last === "A" ? "Q" : "A")),
        "guess",
        "",
      ])
        assert.equal((await signInAs(passkey, Buffer.from(made).toString("base64url"))).status, 403, made);
    });

    test("a challenge older than five minutes signs in nobody", async () => {
      const { passkey } = await operators.signIn("late@example.com", "viewer");
      const { db, now } = await operators.service.store();
      const place = { db, now, origin: operators.origin, sign: (text: string) => `signed ${text}` };
      const signedAfter = async (minutes: number) => {
        const { challenge } = await signInOptions({ ...place, now: () => now() - minutes * 60_000 });
        return verifySignIn(place, { ...passkey.sign(challenge), type: "public-key" });
      };
      assert.equal((await signedAfter(4)).email, "late@example.com");
      await assert.rejects(signedAfter(5), PasskeyError);
    });

    test("a challenge is valid only for its own purpose", async () => {
      const { by, deedOf, sendJson, post, invite, join } = operators;
      const key = await operators.service.newKey();
      const { json } = await deedOf("/keys/revoke", by.operator, { id: key.id });
      assert.equal((await signInAs(by.operator.passkey, json.options!.challenge)).status, 403);
      const { challenge } = JSON.parse((await sendJson("/sign-in/options", {})).text);
      const _passkey = JSON.stringify(by.operator.passkey.sign(challenge));
      const revoked = await post("/keys/revoke", by.operator, { id: key.id, _passkey, _deed: json.deed });
      assert.match(revoked.text, /The passkey did not sign/);
      // A challenge for one invited person must not register a passkey for another.
      const [one, other] = [await invite("one@example.com", "viewer"), await invite("other@example.com", "viewer")];
      const options = JSON.parse((await sendJson("/join/options", { invitation: one })).text);
      const passkey = softwarePasskey(operators.origin);
      const response = passkey.register(options.challenge);
      assert.equal((await sendJson("/join", { invitation: other, name: "", response })).status, 403);
      assert.equal((await join(other)).status, 200);
    });

    test("a copied authenticator cannot sign in besides the original", async () => {
      const { passkey } = await operators.signIn("counting@example.com", "viewer");
      passkey.count(7);
      const asked = await Promise.all([1, 2, 3].map(() => operators.sendJson("/sign-in/options", {})));
      const responses = asked.map(({ text }) => passkey.sign(JSON.parse(text).challenge));
      const answers = await Promise.all(responses.map((response) => operators.sendJson("/sign-in", { response })));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403, 403]);
    });

    test("nobody can register the credential of another person", async () => {
      const { id } = operators.by.officer.passkey;
      const copy = softwarePasskey(operators.origin, id);
      const refused = await operators.join(await operators.invite("copy@example.com", "viewer"), copy);
      assert.equal(refused.status, 403);
      assert.match(refused.text, /is the passkey of another person/);
      assert.equal((await signInAs(operators.by.officer.passkey)).status, 200);
    });

    test("a passkey that replaces another ends the sessions of its person", async () => {
      const { cookie } = await operators.signIn("lost@example.com", "viewer");
      assert.equal((await operators.send("/keys", { cookie })).status, 200);
      await operators.join(await operators.invite("lost@example.com", "viewer"));
      assert.equal((await operators.send("/keys", { cookie })).status, 303);
    });

    test("sign-in limits count IPv6 networks, not single addresses", async () => {
      const statuses: number[] = [];
      for (let host = 1; host <= 40; host += 1) {
        const headers = { "Content-Type": "application/json", Origin: operators.origin };
        const from = { ...headers, "X-Forwarded-For": `2001:db8:1:2::${host.toString(16)}` };
        const sent = { method: "POST", body: '{"response":{}}', headers: from };
        statuses.push((await operators.send("/sign-in", sent)).status);
      }
      assert.equal(statuses.filter((status) => status === 403).length, 30);
      assert.equal(statuses.at(-1), 429);
    });

    test("only a sent form can call an outside service, never a GET or HEAD", async (t) => {
      const { by, send, post, confirm } = operators;
      const calls: string[] = [];
      const receiver = createServer((request, response) => {
        calls.push(request.url!);
        response.end();
      }).listen(0, "127.0.0.1");
      t.after(() => receiver.close());
      await new Promise((resolve) => receiver.once("listening", resolve));
      const { port } = receiver.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}/duba`;
      const added = await confirm("/events/endpoints/add", by.operator, {
        url,
        account: "sandbox@example.com",
        mode: "test",
      });
      const [id = ""] = /\bep_[\w-]+/.exec(added.text) ?? [];
      assert.notEqual(id, "");
      for (const method of ["GET", "HEAD"])
        for (const query of [`?id=${id}`, `?_run=1&id=${id}`, `?id=${id}&_csv=1`])
          assert.equal(
            (await send(`/events/endpoints/test${query}`, { method, cookie: by.operator.cookie })).status,
            200,
          );
      assert.deepEqual(calls, []);
      const sent = await post("/events/endpoints/test", by.operator, { id });
      assert.match(sent.text, /took/);
      assert.deepEqual(calls, ["/duba"]);
    });

    test("a link from another site opens a page that asks the person to continue", async () => {
      const headers = { "Sec-Fetch-Site": "cross-site" };
      const { status, text } = await operators.send("/keys?account=a%40b.c", { headers });
      assert.equal(status, 200);
      assert.match(text, /<a href="\/keys\?account=a%40b\.c">/);
      assert.doesNotMatch(text, /http-equiv|<script/);
    });
  });

suite("the host of the console", () => {
  test("the Host header is also checked behind a proxy", async () => {
    const port = await freePort();
    const origin = "https://console.example";
    await using service = await startService({ DUBA_CONSOLE: `127.0.0.1:${port}`, DUBA_CONSOLE_ORIGIN: origin });
    const { send } = consoleClient(service, port);
    const statusFor = async (Host: string, path = "/sign-in") => (await send(path, { headers: { Host } })).status;
    assert.equal(await statusFor("console.example"), 200);
    for (const other of ["evil.example", `localhost:${port}`, `127.0.0.1:${port}`, "console.example.evil.example"])
      assert.equal(await statusFor(other), 421, other);
    assert.equal(await statusFor("10.0.0.5:8090", "/healthz"), 200);
    const headers = { Host: "evil.example", Origin: origin, "Content-Type": "application/json" };
    assert.equal((await send("/sign-in/options", { method: "POST", body: "{}", headers })).status, 421);
  });

  test("the console drops an incomplete request after its time limit", async () => {
    const port = await freePort();
    await using service = await startService({ DUBA_CONSOLE: `127.0.0.1:${port}`, DUBA_REQUEST_TIMEOUT: "200ms" });
    const half = new Line(port);
    half.say("GET / HTTP/1.1\r\nHost: localhost\r\n");
    const body = new Line(port);
    const { origin } = service.console!;
    body.say(`POST /sign-in HTTP/1.1\r\nHost: ${new URL(origin).host}\r\nOrigin: ${origin}\r\n`);
    body.say("Content-Type: application/json\r\nContent-Length: 30\r\n\r\n{");
    const begun = performance.now();
    await Promise.all([half.closed, body.closed]);
    assert.ok(performance.now() - begun < 20_000);
    assert.equal(body.answers[0]!.status, 408);
  });
});

suite("the connections of the console", () => {
  /** Opens 220 requests from one address whose bodies never arrive. */
  const halves = (port: number, origin: string) => {
    const { host } = new URL(origin);
    const head = `POST /keys/create HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nContent-Length: 30\r\n\r\n{`;
    return Array.from({ length: 220 }, () => {
      const line = new Line(port);
      line.say(head);
      return line;
    });
  };

  test("incomplete requests of a stranger soon free their connections, and do not disturb other callers", {
    skip: process.platform !== "linux" && "Only Linux has further addresses of its own.",
  }, async () => {
    await using service = await startService({ DUBA_CONSOLE: `127.0.0.1:${await freePort()}` });
    const { origin } = service.console!;
    const port = Number(new URL(origin).port);
    const lines = halves(port, origin);
    const { send } = consoleClient(service, port);
    assert.equal((await send("/sign-in", { from: "127.0.0.2" })).status, 200);
    await Promise.all(lines.map(({ closed }) => closed));
    const answered = lines.flatMap(({ answers }) => answers);
    // On a busy machine some connections are free again before the last request comes.
    assert.ok(answered.length >= 50 && answered.length < lines.length, `${answered.length} had a place`);
    for (const { status, headers } of answered) assert.deepEqual([status, headers.connection], [401, "close"]);
    assert.equal((await send("/sign-in")).status, 200);
  });

  test("the connection limit per address does not apply to a trusted proxy", async () => {
    const port = await freePort();
    await using service = await startService({ DUBA_CONSOLE: `127.0.0.1:${port}`, DUBA_TRUST_PROXY: "127.0.0.1" });
    const lines = halves(port, service.console!.origin);
    await Promise.all(lines.map(({ closed }) => closed));
    const answered = lines.flatMap(({ answers }) => answers).length;
    assert.ok(answered >= 200, `${answered} had a place`);
  });

  test("a caller keeps its connection if its complete request is refused", async () => {
    await using service = await startService({ DUBA_CONSOLE: `127.0.0.1:${await freePort()}` });
    const { origin } = service.console!;
    const line = new Line(Number(new URL(origin).port));
    const head = `POST /keys/create HTTP/1.1\r\nHost: ${new URL(origin).host}\r\nOrigin: ${origin}\r\nContent-Length: 30\r\n\r\n`;
    line.say(head);
    line.say("x".repeat(30));
    await line.heard(1);
    line.say(head + "x".repeat(30));
    assert.deepEqual(
      (await line.heard(2)).map(({ status, headers }) => [status, headers.connection]),
      [
        [401, "keep-alive"],
        [401, "keep-alive"],
      ],
    );
    line.end();
  });
});
