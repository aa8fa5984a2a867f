import assert from "node:assert/strict";
import { after, beforeEach, suite, test } from "node:test";
import { engines, usualEngines } from "../../../test/support/engines.ts";
import { withSuiteStore } from "../../../test/support/fresh-store.ts";
import { answerWriter } from "../../declare/answers/answer-writer.ts";
import { Failure, type FailureCode } from "../../declare/failures.ts";
import type { Answered } from "../../declare/operation.ts";
import { openStore, type Store } from "../../storage/store.ts";
import { recorded } from "../access.fixture.ts";
import { type Access, openAccess } from "../access.ts";
import { createAccount } from "../accounts/accounts.ts";
import { createKey, revokeKey } from "../keys/keys.ts";
import { newApiKey } from "../secrets.ts";
import { accessOperations } from "./index.ts";

const silent = async () => {};

const here = "203.0.113.7";
const hour = 3_600_000;
const bootstrap = "a-bootstrap-key-for-the-tests";
const mismatch = "These business credentials do not match our records. Please check and try again";
const authorize = accessOperations.find(({ id }) => id === "authorizeMerchant")!;
const write = answerWriter(authorize.answer);

interface Sent {
  body?: { email?: string; password?: string };
  authorization?: string;
  address?: string;
}

const basic = (name: string, password: string) => `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;

for (const engine of usualEngines) {
  suite(`authorization on ${engine.name}`, () => {
    let store: Store;
    let access: Access;
    const time = Date.UTC(2026, 0, 30, 9, 30, 0, 1);
    const email = "acme@example.com";

    after(() => access.stop());
    withSuiteStore(engine, async (its) => {
      store = its;
      await createAccount(recorded(store.db), { name: "Acme Ltd", email });
    });
    beforeEach(async () => {
      access?.stop();
      access = await openAccess({
        db: store.db,
        audit: silent,
        bootstrapKey: bootstrap,
        failedLimit: { count: 20, seconds: 60 },
        tokenLifetime: 24 * hour,
        now: () => time,
      });
    });

    const create = (more: object = {}) =>
      createKey(recorded(store.db), { account: email, mode: "live", label: "", ...more }, time);
    const send = async ({ body = {}, authorization, address = here }: Sent) => {
      const headers = authorization === undefined ? {} : { authorization };
      const call = { input: body, headers, address, caller: null, requestId: "request" };
      const { answer } = (await authorize.run!(call as never, access.room)) as Answered<object>;
      return JSON.parse(write(answer)) as {
        data: { business_name: string; token: { access_token: string; expires_at: string } };
      };
    };
    const tokenOf = async (sent: Sent) => (await send(sent)).data.token.access_token;
    const refused = (sent: Sent, code: FailureCode, message?: string) =>
      assert.rejects(send(sent), (error: unknown) => {
        assert.ok(error instanceof Failure);
        assert.equal(error.code, code);
        if (message !== undefined) assert.equal(error.message, message);
        return true;
      });

    test("authorization answers exactly the published members, in their order", async () => {
      const { text } = await create();
      const answer = await send({ body: { email, password: text } });
      const token = answer.data.token.access_token;
      assert.match(token, /^duba_at_[0-9A-Za-z]{43}$/);
      assert.equal(
        JSON.stringify(answer),
        `{"success":true,"data":{"business_name":"Acme Ltd","token":{"access_token":"${token}","token_type":"Bearer","expires_at":"2026-01-31 09:31:01"}}}`,
      );
    });

    test("authorization accepts the e-mail in upper or lower case", async () => {
      const { text } = await create();
      await send({ body: { email: "ACME@Example.com", password: text } });
    });

    test("authorization accepts HTTP Basic with public id or e-mail, and no body", async () => {
      const { key, text } = await create();
      for (const name of [key.id, email, "Acme@example.com"]) {
        await send({ authorization: basic(name, text) });
        await send({ authorization: basic(name, text).replace("Basic ", "basic   ") });
      }
    });

    test("authorization accepts the bootstrap key in a body and with HTTP Basic", async () => {
      await send({ body: { email: "sandbox@example.com", password: bootstrap } });
      const answer = await send({ authorization: basic("sandbox@example.com", bootstrap) });
      assert.equal(answer.data.business_name, "Sandbox");
    });

    test("in an authorization, a body takes precedence over HTTP Basic", async () => {
      const { text } = await create();
      await send({ body: { email, password: text }, authorization: basic("nobody", "nothing") });
      await refused({ body: { email, password: "nothing" }, authorization: basic(email, text) }, "invalid_credentials");
    });

    test("authorization without credentials names both ways to send them", async () => {
      const { text } = await create();
      for (const sent of [{}, { authorization: "" }, { authorization: `Bearer ${text}` }]) {
        await assert.rejects(send(sent), (error: Failure) => {
          assert.equal(error.code, "missing_credentials");
          assert.match(error.message, /email and password.*HTTP Basic/);
          return true;
        });
      }
    });

    test("authorization names the missing member of a body", async () => {
      for (const [given, missing] of [
        ["email", "password"],
        ["password", "email"],
      ] as const) {
        await assert.rejects(send({ body: { [given]: "x" } }), (error: Failure) => {
          assert.equal(error.code, "validation_failed");
          assert.deepEqual(error.detail.fields, [
            { field: missing, message: `${missing} is required when ${given} is given.` },
          ]);
          return true;
        });
      }
    });

    test("authorization answers every wrong credential alike", async () => {
      const { key, text } = await create();
      const { text: revoked, key: dead } = await create();
      await revokeKey(recorded(store.db), dead.id);
      const token = await tokenOf({ body: { email, password: text } });
      const wrong: Sent[] = [
        { body: { email, password: newApiKey("live").text } },
        { body: { email, password: text.slice(0, -1) } },
        { body: { email, password: revoked } },
        { body: { email, password: token } },
        { body: { email, password: `Bearer ${text}` } },
        { body: { email: "sandbox@example.com", password: text } },
        { body: { email: key.id, password: text } },
        { body: { email: "", password: "" } },
        { authorization: basic("sandbox@example.com", text) },
        { authorization: basic(dead.id, text) },
        { authorization: basic(key.id, "") },
        { authorization: "Basic" },
        { authorization: "Basic !!!" },
        { authorization: `Basic ${Buffer.from("no colon").toString("base64")}` },
      ];
      for (const sent of wrong) await refused(sent, "invalid_credentials", mismatch);
    });

    test("authorization is refused from an address that the key does not allow", async () => {
      const { text } = await create({ addresses: ["2001:db8::/32"] });
      await refused({ body: { email, password: text } }, "address_not_allowed");
      await send({ body: { email, password: text }, address: "2001:db8::1" });
    });

    test("a token outlives its stated expiry by two hours, for clients that read it as local time", async () => {
      const { text } = await create();
      const { data } = await send({ body: { email, password: text } });
      const told = Date.parse(`${data.token.expires_at.replace(" ", "T")}Z`);
      const { expiresAt } = await access.credentials.credentialOf(data.token.access_token, here);
      assert.equal(expiresAt, told + 2 * hour);
    });

    test("authorization never issues a token that outlives its key", async () => {
      const { text } = await create({ expiresAt: time + hour });
      const { data } = await send({ body: { email, password: text } });
      assert.equal(data.token.expires_at, new Date(time + hour).toISOString().slice(0, 19).replace("T", " "));
      const credential = await access.credentials.credentialOf(data.token.access_token, here);
      assert.equal(credential.expiresAt, time + hour);
    });

    test("authorization issues tokens with the configured lifetime, of at least 3 hours", async () => {
      const failedLimit = { count: 20, seconds: 60 };
      const options = { db: store.db, audit: silent, bootstrapKey: bootstrap, failedLimit, now: () => time };
      await assert.rejects(openAccess({ ...options, tokenLifetime: 3 * hour - 1 }), RangeError);
      access.stop();
      access = await openAccess({ ...options, tokenLifetime: 3 * hour });
      const { text } = await create();
      const { expires_at } = (await send({ body: { email, password: text } })).data.token;
      const told = Date.parse(`${expires_at.replace(" ", "T")}Z`);
      assert.ok(told >= time + 3 * hour && told < time + 3 * hour + 61_000);
    });

    test("authorization does not count a request without credentials", async () => {
      for (let count = 0; count < 30; count++) await refused({}, "missing_credentials");
    });
  });
}

suite("opening access", () => {
  test("a fresh store prints its key, which then works", async () => {
    const place = await engines[0]!.fresh();
    const store = await openStore({ ...place.settings, serving: true, starting: true });
    const access = await openAccess({
      db: store.db,
      audit: silent,
      bootstrapKey: "",
      failedLimit: { count: 20, seconds: 60 },
      tokenLifetime: 24 * hour,
    });
    await access.noteShown();
    const again = await openAccess({
      db: store.db,
      audit: silent,
      bootstrapKey: "",
      failedLimit: { count: 20, seconds: 60 },
      tokenLifetime: 24 * hour,
    });
    try {
      assert.equal((await access.credentials.credentialOf(`Bearer ${access.printed}`, here)).mode, "test");
      assert.equal("printed" in again, false);
    } finally {
      access.stop();
      again.stop();
      await store.close();
      await place.dispose();
    }
  });
});
