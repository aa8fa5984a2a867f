import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { suite, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { scopes } from "../src/declare/operation.ts";
import { signedHeaders } from "../src/runtime/network/signature.ts";
import { announce } from "../src/storage/events/announce.ts";
import { everyOperation } from "../src/wire/every-operation.ts";
import { type Client, clients } from "./support/clients.ts";
import { FaultyProxy } from "./support/faulty-proxy.ts";
import { sandboxKey, suiteService } from "./support/service.ts";

/**
 * The common behaviour of the clients of all languages. test/gateway-faults.test.ts tests the same clients behind a
 * faulty gateway.
 */

const person = { bvn: "22000000017", phone: "08000000017", amount: "100" };
const secret = "whsec_dGhlIHNlY3JldCBvZiBhIHRlc3QsIDMyIGJ5dGVz";
const here = clients.filter(({ skip }) => !skip);

suite("the client", { concurrency: true }, () => {
  const service = suiteService({ DUBA_LIMITS: "off", DUBA_EVENT_NETWORKS: "127.0.0.0/8" });
  const answered = async (client: Client, call: Omit<Parameters<Client>[0], "url">) => {
    const { answer, failure, other } = await client({ url: service.url, ...call });
    assert.deepEqual({ failure, other }, { failure: undefined, other: undefined }, call.method);
    return answer;
  };

  for (const { name, skip, open } of clients) {
    test(`the client for ${name} has a method for each operation, and each returns its answer`, { skip }, async (t) => {
      const client = open(t);
      const { text: key } = await service.newKey({ scopes });
      const idempotencyKey = `every-method-${name}`;
      const given = { ...person, "idempotency-key": idempotencyKey };
      const verified = await answered(client, { key, method: "verifyBvn", given });
      assert.equal(verified.idempotency_key, idempotencyKey);
      const refused = await client({
        url: service.url,
        key,
        method: "lookupDataBundles",
        given: { provider: "FOODATA" },
      });
      const known: Record<string, unknown> = {
        ...{ request_reference: verified.data.request_reference, idempotency_key: idempotencyKey },
        ...{ request_id: refused.failure?.error.request_id, email: "sandbox@example.com", password: key },
        url: `http://127.0.0.1:1/${name}`,
      };
      for (const { id, examples } of everyOperation) {
        const members = Object.entries(examples[0]!.input ?? {}).map(([name, value]) => [name, known[name] ?? value]);
        const answer = await answered(client, { key, method: id, given: Object.fromEntries(members) });
        assert.equal(answer.success, true, id);
        if (id === "addEventEndpoint") known.id = answer.data.id;
      }
      const compared = { ...person, last_name: "Nobody", date_of_birth: "1982-07-29" };
      assert.match((await answered(client, { key, method: "verifyBvn", given: compared })).match, /^last_name=/);
    });

    test(`the client for ${name} accepts a base URL with and without the prefix, and behind a gateway`, {
      skip,
    }, async (t) => {
      const client = open(t);
      const paths: string[] = [];
      const server = createServer((request, response) => {
        paths.push(request.url!);
        response.end('{"success":true,"billers":[]}');
      });
      await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
      t.after(() => server.close());
      const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const ends = ["", "/", "/api/v2", "/api/v2/", "/api", "/duba", "/duba/", "/duba/api/v2/"];
      for (const end of ends) await client({ url: host + end, method: "fetchCableProviders" });
      const bases = ["/api/v2", "/api/v2", "/api/v2", "/api/v2", "/api", ...Array(3).fill("/duba/api/v2")];
      assert.deepEqual(
        paths,
        bases.map((base) => `${base}/cable-tv/fetch-providers`),
      );
      for (const wrong of ["duba.example", "ftp://duba.example", "https://duba.example?a=b"]) {
        const { other = "" } = await client({ url: wrong, method: "fetchCableProviders" });
        assert.match(other, /^(TypeError|InvalidArgumentException|ValueError): url must be an address/);
      }
    });

    test(`the client for ${name} survives a server that sends arbitrary answers, and follows none of its redirects`, {
      skip,
    }, async (t) => {
      const client = open(t);
      let [answer, elsewhere] = ["", 0];
      const server = createServer((request, response) => {
        if (request.url === "/elsewhere") elsewhere += 1;
        response.writeHead(answer === "" ? 302 : 200, { location: "/elsewhere" }).end(answer);
      });
      await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
      t.after(() => server.close());
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const codeAfter = async (method: string, told: unknown, retries = 0) => {
        answer = typeof told === "string" ? told : JSON.stringify(told);
        const outcome = await client({ url, key: "a-key", retries, method });
        return outcome.failure?.error.code ?? JSON.stringify(outcome);
      };
      // Only the header says how long to wait.
      for (const retry_after of ["soon", -5, 0.5, [1], {}, null, true]) {
        const error = { code: "of_a_liar", retryable: true, retry_after };
        assert.equal(await codeAfter("whoAmI", { success: false, message: "m", error }, 1), "of_a_liar");
      }
      for (const lie of ["", "[".repeat(100_000), "1e999", '"\\ud800"'])
        assert.equal(await codeAfter("whoAmI", lie), "unexpected_answer", lie.slice(0, 10));
      assert.equal(elsewhere, 0);
    });

    test(`the client for ${name} does not repeat a request without an idempotency key that may have worked`, {
      skip,
    }, async (t) => {
      await using proxy = await FaultyProxy.open(service.url, ["lost"]);
      const given = { email: "sandbox@example.com", password: sandboxKey };
      const { failure } = await open(t)({ url: proxy.url, method: "authorizeMerchant", given });
      assert.deepEqual([failure?.error.code, proxy.passed.length], ["no_answer", 1]);
    });

    test(`the client for ${name} asks for the state of a running verification, and does not send it again meanwhile`, {
      skip,
    }, async (t) => {
      await using proxy = await FaultyProxy.open(service.url, ["cut"]);
      const given = { ...person, bvn: "00000000008", phone: "08000000018" };
      const { answer } = await open(t)({ url: proxy.url, key: sandboxKey, method: "verifyBvn", given });
      assert.equal(answer?.data.verification_status, "VERIFIED");
      const sent = proxy.passed.map(({ method }) => method);
      const posts = sent.filter((method) => method === "POST").length;
      assert.ok(posts <= 3 && sent.length > posts + 1, sent.join(" "));
    });

    test(`the client for ${name} yields each event once, even after a stop inside a page`, {
      skip,
    }, async (t) => {
      const { text: key } = await service.newKey({ account: await service.newAccount(`EventsOf${name}`) });
      const { account } = (await service.ask("/api/v2/me", { credential: key })).json.data;
      const { db } = await service.store();
      const client = open(t);
      const take = async (given: Record<string, unknown>) =>
        (await client({ url: service.url, key, method: "events", given })).answer;
      const { cursor: now } = await take({});
      // More than a page.
      const keys = Array.from({ length: 120 }, (_, at) => `key${at}`);
      for (const each of keys) {
        const data = { key: each, revoked_at: "2026-11-01T09:30:00.000Z" };
        const about = { audience: account.id, mode: null, about: each };
        await announce(db, { type: "key.revoked", ...about, data, at: Date.now() });
      }
      const seen: string[] = [];
      for (let cursor = now; seen.length < keys.length; ) {
        const given = await take({ cursor, take: 50 });
        seen.push(...given.events.map(({ data }: { data: { key: string } }) => data.key));
        cursor = given.cursor;
      }
      assert.deepEqual(seen, keys);
      const { events } = await take({ cursor: "0" });
      assert.deepEqual(
        events.slice(-120).map(({ data }: { data: { key: string } }) => data.key),
        keys,
      );
      const elsewhere = await client({ url: service.url, key, method: "events", given: { cursor: "A".repeat(72) } });
      assert.equal(elsewhere.failure?.error.code, "validation_failed");
    });

    test(`the client for ${name} reports a malformed page of events, and does not ask forever`, {
      skip,
    }, async (t) => {
      const client = open(t);
      let page: object = {};
      const server = createServer((_, response) => response.end(JSON.stringify({ success: true, ...page })));
      await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
      t.after(() => server.close());
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const [event, next] = [{ id: "evt_1", type: "key.revoked" }, "place"];
      const good = { data: [event], next, more: false };
      for (const wrong of [
        ...[{ data: { a: event } }, { data: ["evt_1"] }, { data: [null] }, { data: [event, { type: "key.revoked" }] }],
        ...[{ data: [{ id: 1 }] }, { next: 7 }, { next: undefined }, { more: "no" }, { more: null }, { more: true }],
      ]) {
        page = { ...good, ...wrong };
        const { failure, ...rest } = await client({ url, retries: 0, method: "events" });
        const about = `${JSON.stringify(wrong)} ${JSON.stringify(rest)}`;
        const { code, retryable, http_status } = failure?.error ?? {};
        assert.deepEqual([code, retryable, http_status], ["unexpected_answer", true, 200], about);
        assert.match(failure!.message, /^The answer \(HTTP 200\) is not a page of events\. Check url/);
      }
      page = good;
      const { answer } = await client({ url, retries: 0, method: "events" });
      assert.deepEqual(answer, { events: [event], cursor: next });
    });

    // A program in another language has a clock that no test can set.
    const isMoved = process.env.DUBA_TEST_CLOCK_AHEAD !== undefined && name !== "TypeScript";
    test(`the client for ${name} accepts a delivery of Duba, and nothing else`, {
      skip: skip || isMoved,
    }, async (t) => {
      const client = open(t);
      const event = { id: "evt_1", type: "key.revoked", mode: "test", data: { key: "4Zq8mPx0LtV2, ₦" } };
      const body = JSON.stringify(event);
      const verify = (headers: object, text = body) =>
        client({ url: service.url, method: "verifiedEvent", given: { body: text, headers, secret } });
      const ours = (at = Date.now(), secrets = [secret]) => signedHeaders({ id: event.id, body, at }, secrets);
      const other = "whsec_dGhlIHNlY3JldCBvZiBhIHRlc3QsIDMyIGJ5dGVt";
      const now = new Date();
      const library = {
        ...{ "webhook-id": "evt_1", "webhook-timestamp": String(Math.floor(now.getTime() / 1000)) },
        "webhook-signature": new Webhook(secret).sign("evt_1", now, body),
      };
      const shouting = Object.fromEntries(Object.entries(ours()).map(([name, value]) => [name.toUpperCase(), value]));
      for (const headers of [ours(), ours(Date.now() - 240_000), ours(Date.now(), [other, secret]), library, shouting])
        assert.deepEqual(await verify(headers), { answer: event });
      const { "webhook-signature": _, ...unsigned } = ours();
      for (const outcome of [
        await verify(ours(), body.replace("key.", "kex.")),
        await verify(ours(Date.now() - 310_000)),
        await verify(ours(Date.now() + 360_000)),
        await verify(ours(Date.now(), [other])),
        await verify({ ...ours(), "webhook-id": "evt_2" }),
        await verify({ ...ours(), "webhook-timestamp": "soon" }),
        await verify({ ...ours(), "webhook-signature": "v1,é v2 =" }),
        // Bytes that are no UTF-8, which some Python servers pass to the application.
        ...(name === "Python"
          ? [await verify({ ...ours(), "webhook-id": "\udcff", "webhook-signature": "\udcff" })]
          : []),
        await verify(unsigned),
        await verify({}),
      ])
        assert.equal(outcome.failure?.error.code, "wrong_delivery", JSON.stringify(outcome));
    });
  }

  test("a failure has the same members in each language", {
    skip: here.length < 2 && "one is here",
  }, async (t) => {
    const told = await Promise.all(
      here.map(async ({ open }) => {
        await using proxy = await FaultyProxy.open(service.url, ["502 HTML", "503 with a date", "refused", "none"]);
        const client = open(t);
        const verify = (given: object, url = service.url) =>
          client({ url, key: sandboxKey, retries: 0, method: "verifyBvn", given: { ...person, ...given } });
        const outcomes = [
          ...[await verify({}, proxy.url), await verify({}, proxy.url), await verify({}, proxy.url)],
          ...[await verify({ bvn: "1", phone: "2" }), await verify({ bvn: "00000000002" })],
          ...[await verify({ bvn: "00000000006" }), await verify({ bvn: "00000000009" })],
          await client({ url: service.url, method: "lookupDataBundles", given: { provider: "FOODATA" } }),
          await client({ url: service.url, method: "whoAmI" }),
          await client({ url: `${service.url}/docs`, key: sandboxKey, method: "whoAmI" }),
        ];
        return outcomes.map(({ failure, ...rest }) => {
          const { request_id, idempotency_key, request_reference, ...error } = failure!.error;
          const facts = [request_id, idempotency_key, request_reference].map((fact) => typeof fact);
          // Each language distinguishes failed connections as well as its library allows.
          const message = error.code === "no_answer" ? "" : failure!.message;
          return { ...rest, message, error, facts };
        });
      }),
    );
    for (const one of told) assert.deepEqual(one, told[0]);
  });
});
