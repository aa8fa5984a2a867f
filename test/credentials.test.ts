import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { recorded } from "../src/access/access.fixture.ts";
import { revokeKey } from "../src/access/keys/keys.ts";
import { rollKey } from "../src/access/keys/roll.ts";
import { usualEngines } from "./support/engines.ts";
import { assertFailure } from "./support/failure.ts";
import { sandboxKey, startService, type TestService } from "./support/service.ts";
import { noticed } from "./support/until.ts";

const corporate = "/api/v2/corporate-data/list";
const lookup = "/api/v2/internet/data/lookup";
const verify = "/api/v2/kyc/verify-bvn";
const exchange = "/api/v2/merchant/authorization";
const person = { bvn: "22000000017", phone: "08000000017", amount: "100" };

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

for (const engine of usualEngines) {
  suite(`credentials on ${engine.name}`, { concurrency: true }, () => {
    let service: TestService;
    before(async () => {
      service = await startService({}, engine);
    });
    after(() => service.close());

    const corporateAs = (Authorization: string) => service.ask(corporate, { headers: { Authorization } });
    const buy = (body: object, headers: Record<string, string> = {}) =>
      service.ask(exchange, { method: "POST", credential: false, headers, body });
    const tokenOf = async (password: string): Promise<string> => {
      const bought = await buy({ email: "sandbox@example.com", password });
      assert.equal(bought.status, 200, bought.text);
      return bought.json.data.token.access_token;
    };

    test("are taken with Bearer in any case, and bare", async () => {
      const { text } = await service.newKey();
      for (const header of [
        `Bearer ${text}`,
        `bearer ${text}`,
        `BEARER   ${text}`,
        text,
        `Bearer ${sandboxKey}`,
        sandboxKey,
      ])
        assert.equal((await corporateAs(header)).status, 200, header);
    });

    test("count as absent when empty", async () => {
      for (const header of ["", " ", "Bearer", "Bearer ", "bearer   "]) {
        assertFailure(await corporateAs(header), 401, "missing_credentials", { path: corporate });
        assert.equal((await service.ask(lookup, { headers: { Authorization: header } })).status, 200);
      }
    });

    test("that have ended say so, and so does their token", async () => {
      const expiresAt = Date.now() + 6000;
      const { text } = await service.newKey({ expiresAt });
      const token = await tokenOf(text);
      assert.equal((await corporateAs(text)).status, 200);
      for (const credential of [text, token]) {
        const answer = await noticed(
          () => corporateAs(credential),
          ({ status }) => status === 401,
        );
        assert.ok(Date.now() >= expiresAt);
        assertFailure(answer, 401, "expired_credentials", { path: corporate });
        assert.match(answer.headers["www-authenticate"]!, /error="invalid_token"/);
      }
      const again = await buy({ email: "sandbox@example.com", password: text });
      assertFailure(again, 401, "expired_credentials");
    });

    test("that another process revokes are refused within seconds, and so are their tokens", async () => {
      const { text, id } = await service.newKey();
      const token = await tokenOf(text);
      for (const credential of [text, token]) assert.equal((await corporateAs(credential)).status, 200);
      await revokeKey(recorded((await service.store()).db), id);
      await Promise.all(
        [text, token].map(async (credential) => {
          const answer = await noticed(
            () => corporateAs(credential),
            ({ status }) => status === 401,
          );
          assertFailure(answer, 401, "invalid_credentials", { path: corporate });
        }),
      );
    });

    test("stay valid beside the key that replaces them", async () => {
      const { text, id } = await service.newKey();
      const rolled = await rollKey(recorded((await service.store()).db), { id });
      for (const credential of [text, rolled.text]) assert.equal((await corporateAs(credential)).status, 200);
    });

    test("reach only what their scope says, and so do their tokens", async () => {
      const { text } = await service.newKey({ scopes: ["catalogue:read"] });
      for (const credential of [text, await tokenOf(text)]) {
        assert.equal((await corporateAs(credential)).status, 200);
        const answer = await service.ask(verify, { method: "POST", credential, body: person });
        assertFailure(answer, 403, "insufficient_scope", { path: verify, message: /identity:verify/ });
      }
    });

    test("are bound to their addresses, and X-Forwarded-For is not believed", async () => {
      const elsewhere = await service.newKey({ addresses: ["203.0.113.7", "2001:db8::/32"] });
      for (const headers of [{}, { "X-Forwarded-For": "203.0.113.7" }, { Forwarded: "for=203.0.113.7" }] as Record<
        string,
        string
      >[]) {
        const answer = await service.ask(corporate, { credential: elsewhere.text, headers });
        assertFailure(answer, 403, "address_not_allowed", { path: corporate });
        const bought = await buy({ email: "sandbox@example.com", password: elsewhere.text }, headers);
        assertFailure(bought, 403, "address_not_allowed");
      }
      const here = await service.newKey({ addresses: ["127.0.0.0/8"] });
      assert.equal((await corporateAs(here.text)).status, 200);
    });

    test("that are live never reach the sandbox", async () => {
      const account = await service.newAccount("Live");
      const live = await service.newKey({ account, mode: "live" });
      assert.match(live.text, /^duba_live_/);
      for (const bvn of [person.bvn, "00000000001", "00000000009"]) {
        const options = { method: "POST", credential: live.text, body: { ...person, bvn } };
        const { error } = assertFailure(await service.ask(verify, options), 503, "upstream_not_configured", {
          path: verify,
        });
        assert.deepEqual([error.charged, error.upstream_called], [false, false]);
      }
      assert.equal((await corporateAs(live.text)).status, 200);
    });

    test("buy a token with the account's e-mail and a whole key", async () => {
      const { text, id } = await service.newKey();
      const ways: [object, Record<string, string>][] = [
        [{ email: "sandbox@example.com", password: text }, {}],
        [{ email: "Sandbox@Example.com", password: text, remember: true }, {}],
        [{}, { Authorization: basic(id, text) }],
        [{}, { Authorization: basic("sandbox@example.com", text) }],
      ];
      for (const [body, headers] of ways) {
        const begun = Date.now();
        const answer = await buy(body, headers);
        const { access_token, expires_at } = answer.json.data.token;
        assert.equal(
          answer.text,
          JSON.stringify({
            success: true,
            data: { business_name: "Sandbox", token: { access_token, token_type: "Bearer", expires_at } },
          }),
        );
        assert.equal(answer.status, 200);
        assert.match(access_token, /^duba_at_[0-9A-Za-z]{43}$/);
        assert.match(expires_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
        const hours = (Date.parse(`${expires_at.replace(" ", "T")}Z`) - begun) / 3_600_000;
        assert.ok(hours > 23.9 && hours < 24.1, `${hours} h`);
        assert.equal(answer.headers["cache-control"], "no-store");
        assert.equal((await corporateAs(`Bearer ${access_token}`)).status, 200);
        assert.equal((await corporateAs(access_token)).status, 200);
      }
      const empty = await service.ask(exchange, { method: "POST", headers: { Authorization: basic(id, text) } });
      assert.equal(empty.status, 200, empty.text);
    });

    test("take Basic nowhere else", async () => {
      assertFailure(await corporateAs(basic("sandbox@example.com", sandboxKey)), 401, "invalid_credentials", {
        path: corporate,
      });
    });
  });
}
