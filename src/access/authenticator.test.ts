import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, mock, suite, test } from "node:test";
import type { Kysely, KyselyPlugin } from "kysely";
import { engines, type Fresh } from "../../test/support/engines.ts";
import { until } from "../../test/support/until.ts";
import { Failure, type FailureCode } from "../operation/failures.ts";
import type { Limit } from "../runtime/rate-limiter.ts";
import { openStore, type Store } from "../storage/store.ts";
import type { Tables } from "../storage/tables.ts";
import { recorded } from "./access.fixture.ts";
import { type Account, changeAccount, createAccount, resumeAccount, suspendAccount } from "./accounts/accounts.ts";
import { Credentials, isAbsent } from "./authenticator.ts";
import { firstStart } from "./bootstrap.ts";
import { FailedCredentials } from "./failed-credentials.ts";
import { createKey, revokeKey } from "./keys/keys.ts";
import { newAccessToken, newApiKey } from "./secrets.ts";

const here = "203.0.113.7";
const bootstrap = "duba_test_bootstrap-for-tests";

const failsAs =
  (code: FailureCode, message = /./) =>
  (error: unknown) =>
    error instanceof Failure && error.code === code && message.test(error.message);

suite("an Authorization header", () => {
  test("is absent when it is missing, empty, or the word Bearer alone", () => {
    for (const header of [undefined, "", "Bearer", "Bearer ", "bearer   "]) assert.equal(isAbsent(header), true);
    for (const header of ["Bearer x", "bearerx", "Basic", "x"]) assert.equal(isAbsent(header), false);
  });
});

for (const { name: engine, fresh } of engines) {
  suite(`credentials on ${engine}`, () => {
    let place: Fresh;
    let store: Store;
    let account: Account;
    /** The store as the credentials see it: counted, and out of reach when a test says so. */
    let db: Kysely<Tables>;
    let asked = 0;
    let answered = 0;
    let outOfReach = false;
    let time = 1_000_000;
    let credentials: Credentials;

    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => {
        asked += 1;
        if (outOfReach) throw new Error("out of reach");
        return node;
      },
      transformResult: async ({ result }) => {
        answered += 1;
        return result;
      },
    };
    const open = (failedLimit: Limit = { count: 1000, seconds: 60 }) =>
      new Credentials({ db, uses: { note() {} }, failed: new FailedCredentials(failedLimit), now: () => time });
    const create = (more: object = {}) =>
      createKey(recorded(store.db), { account: account.id, mode: "live", label: "", ...more }, time);
    const buy = async (keyId: string, expiresAt: number) => {
      const { text, hash } = newAccessToken();
      const row = { secret_hash: hash, key_id: keyId, created_at: time, expires_at: expiresAt };
      await store.db.insertInto("access_token").values(row).execute();
      return text;
    };
    const refused = async (header: string, code: FailureCode, message = /./, address = here) =>
      assert.rejects(async () => credentials.credentialOf(header, address), failsAs(code, message));

    before(async () => {
      place = await fresh();
      store = await openStore({ ...place.settings, serving: true });
      db = store.db.withPlugin(counting);
      account = await createAccount(recorded(store.db), { name: "Acme", email: "acme@example.com" });
      await firstStart(recorded(store.db), bootstrap);
    });
    after(async () => {
      await store.close();
      await place.dispose();
    });
    beforeEach(async () => {
      credentials = open();
      await credentials.refresh();
      asked = 0;
    });
    afterEach(() => {
      credentials.stop();
      mock.timers.reset();
      outOfReach = false;
    });

    test("are a key, after Bearer in any case and any number of spaces, or bare", async () => {
      const { key, text } = await create({ scopes: ["identity:verify"], expiresAt: time + 5000 });
      for (const header of [text, `Bearer ${text}`, `bearer   ${text}`, `BEARER ${text}`]) {
        assert.deepEqual(await credentials.credentialOf(header, here), {
          accountId: account.id,
          keyId: key.id,
          mode: "live",
          scopes: ["identity:verify"],
          fees: {},
          answers: "full",
          terms: {},
          expiresAt: time + 5000,
        });
      }
    });

    test("are a token, after Bearer or bare, that stands for its key", async () => {
      const { key } = await create({ scopes: ["catalogue:read"] });
      const token = await buy(key.id, time + 5000);
      for (const header of [`Bearer ${token}`, token]) {
        assert.deepEqual(await credentials.credentialOf(header, here), {
          accountId: account.id,
          keyId: key.id,
          mode: "live",
          scopes: ["catalogue:read"],
          fees: {},
          answers: "full",
          terms: {},
          expiresAt: time + 5000,
        });
      }
    });

    test("carry the terms of their account, and are out of force while it is suspended", async () => {
      const { id } = await createAccount(recorded(db), { name: "Terms", email: "terms@example.com" });
      const { text } = await create({ account: id });
      const used = async () => {
        await credentials.refresh();
        return credentials.credentialOf(`Bearer ${text}`, here);
      };
      assert.deepEqual((await used()).fees, {});
      await changeAccount(recorded(db), id, { fees: { bvn: 8_050 }, answers: "masked" });
      const { fees, answers } = await used();
      assert.deepEqual({ fees, answers }, { fees: { bvn: 8_050 }, answers: "masked" });
      await suspendAccount(recorded(db), id);
      await assert.rejects(used(), failsAs("invalid_credentials", /suspended/));
      await resumeAccount(recorded(db), id);
      assert.equal((await used()).accountId, id);
    });

    test("are the bootstrap value, whatever its form", async () => {
      const { mode, keyId } = await credentials.credentialOf(`Bearer ${bootstrap}`, here);
      assert.equal(mode, "test");
      assert.match(keyId, /^[0-9A-Za-z]{12}$/);
    });

    test("that are known are answered at once, without a promise or the store", async () => {
      const { text } = await create();
      const first = await credentials.credentialOf(`Bearer ${text}`, here);
      assert.equal(asked, 1);
      assert.equal(credentials.credentialOf(`Bearer ${text}`, here), first);
      assert.equal(asked, 1);
    });

    test("that come together are looked up once", async () => {
      const { text } = await create();
      const callers = Array.from({ length: 50 }, (_, host) => credentials.credentialOf(text, `203.0.113.${host}`));
      await Promise.all(callers);
      assert.equal(asked, 1);
    });

    test("of a wrong form or checksum are refused without a look-up", async () => {
      const { text } = await create();
      await refused(`Bearer ${text.slice(0, -1)}`, "invalid_credentials", /mistyped or cut short/);
      await refused(`Bearer ${text.replace("live", "test")}`, "invalid_credentials", /mistyped or cut short/);
      await refused(`Bearer ${newAccessToken().text}x`, "invalid_credentials", /access token/);
      await refused("Bearer null", "invalid_credentials", /Send `Bearer <api key>`/);
      await refused(`Token ${text}`, "invalid_credentials");
      await refused("Basic YTpi", "invalid_credentials", /authorization only/);
      assert.equal(asked, 0);
    });

    test("that are unknown, revoked or of another secret read the same", async () => {
      const { key, text } = await create();
      await revokeKey(recorded(store.db), key.id);
      const { id, text: unknown } = newApiKey("live");
      const { hash } = newApiKey("live");
      await refused(text, "invalid_credentials", /not in force/);
      await refused(unknown, "invalid_credentials", /not in force/);
      const { key: other } = await create();
      await store.db.updateTable("api_key").set({ id, secret_hash: hash }).where("id", "=", other.id).execute();
      await refused(unknown, "invalid_credentials", /not in force/);
      await refused(newAccessToken().text, "invalid_credentials", /access token is not in force/);
    });

    test("that failed are looked up again, so that a new key works at once", async () => {
      const { key, text } = await create();
      await store.db.updateTable("api_key").set({ revoked_at: 1 }).where("id", "=", key.id).execute();
      await refused(text, "invalid_credentials");
      await store.db.updateTable("api_key").set({ revoked_at: null }).where("id", "=", key.id).execute();
      await credentials.credentialOf(text, here);
    });

    test("end to the millisecond, known or not", async () => {
      const { key, text } = await create({ expiresAt: time + 1000 });
      const token = await buy(key.id, time + 500);
      const headers = [text, token];
      for (const header of headers) await credentials.credentialOf(header, here);
      time += 499;
      for (const header of headers) credentials.credentialOf(header, here);
      time += 1;
      assert.throws(() => credentials.credentialOf(token, here), failsAs("expired_credentials", /access token/));
      time += 499;
      credentials.credentialOf(text, here);
      time += 1;
      assert.throws(() => credentials.credentialOf(text, here), failsAs("expired_credentials", /API key/));
      credentials.forget();
      for (const header of headers) await refused(header, "expired_credentials");
    });

    test("that are tokens end with their key, whatever their own end", async () => {
      const { key } = await create({ expiresAt: time + 1000 });
      const token = await buy(key.id, time + 5000);
      assert.equal((await credentials.credentialOf(token, here)).expiresAt, time + 1000);
      time += 1000;
      await refused(token, "expired_credentials", /API key of this access token/);
    });

    test("that are tokens die when their key is revoked", async () => {
      const { key } = await create();
      const token = await buy(key.id, time + 5000);
      await credentials.credentialOf(token, here);
      await revokeKey(recorded(store.db), key.id);
      credentials.forget();
      await refused(token, "invalid_credentials");
    });

    test("are good from allowed addresses only, at every use", async () => {
      const { key, text } = await create({ addresses: ["203.0.113.7", "10.0.0.0/8", "2001:db8::/32"] });
      const token = await buy(key.id, time + 5000);
      for (const header of [text, token]) {
        await refused(header, "address_not_allowed", /./, "203.0.113.8");
        for (const address of [here, "10.9.8.7", "::ffff:10.9.8.7", "2001:db8:5::1"])
          assert.equal((await credentials.credentialOf(header, address)).keyId, key.id);
        for (const address of ["203.0.113.8", "::ffff:203.0.113.8", "2001:db9::1", ""])
          assert.throws(() => credentials.credentialOf(header, address), failsAs("address_not_allowed"));
      }
    });

    test("that failed 20 times in a minute are not looked up any more, but what is known goes on", async () => {
      credentials = open({ count: 20, seconds: 60 });
      const { text } = await create();
      await credentials.credentialOf(text, here);
      asked = 0;
      for (let count = 0; count < 20; count++) await refused(newApiKey("live").text, "invalid_credentials");
      assert.equal(asked, 20);
      await refused(newApiKey("live").text, "rate_limited");
      await refused("Bearer null", "rate_limited");
      assert.equal(asked, 20);
      credentials.credentialOf(text, here);
      await refused(newApiKey("live").text, "invalid_credentials", /./, "203.0.113.8");
    });

    test("that were proven once are looked up again after a change, whatever their neighbours do meanwhile", async () => {
      credentials = open({ count: 20, seconds: 60 });
      const { key, text } = await create();
      await credentials.credentialOf(text, here);
      for (let count = 0; count < 20; count++) await refused(newApiKey("live").text, "invalid_credentials");
      await refused(newApiKey("live").text, "rate_limited");
      credentials.forget();
      assert.equal((await credentials.credentialOf(text, here)).keyId, key.id);
      await revokeKey(recorded(store.db), key.id);
      credentials.forget();
      await refused(text, "invalid_credentials");
      await refused(text, "rate_limited");
    });

    test("that are good do not use up the limit, however many come at once", async () => {
      credentials = open({ count: 20, seconds: 60 });
      const keys = await Promise.all(Array.from({ length: 30 }, () => create()));
      await Promise.all(keys.map(({ text }) => credentials.credentialOf(text, here)));
      assert.equal(asked, 30);
    });

    test("revoked elsewhere are refused here after the next poll", async () => {
      const { key, text } = await create();
      await credentials.credentialOf(text, here);
      mock.timers.enable({ apis: ["setInterval"] });
      credentials.watch();
      await revokeKey(recorded(store.db), key.id);
      answered = 0;
      credentials.credentialOf(text, here);
      mock.timers.tick(1000);
      await until(() => answered > 0);
      await new Promise(setImmediate);
      await refused(text, "invalid_credentials");
    });

    test("stay known while nothing changes", async () => {
      const { text } = await create();
      const known = await credentials.credentialOf(text, here);
      mock.timers.enable({ apis: ["setInterval"] });
      credentials.watch();
      for (let second = 1; second <= 10; second++) {
        time += 1000;
        const before = answered;
        mock.timers.tick(1000);
        await until(() => answered > before);
        await new Promise(setImmediate);
      }
      assert.equal(credentials.credentialOf(text, here), known);
    });

    test("take over a bootstrap value that was changed elsewhere", async () => {
      const changed = "another-bootstrap-for-tests";
      const token = await buy((await credentials.credentialOf(bootstrap, here)).keyId, time + 5000);
      await firstStart(recorded(store.db), changed);
      await refused(changed, "invalid_credentials");
      await credentials.refresh();
      for (const old of [bootstrap, token]) await refused(old, "invalid_credentials");
      assert.equal((await credentials.credentialOf(changed, here)).mode, "test");
      await firstStart(recorded(store.db), bootstrap);
    });

    test("serve look-ups only after 4 s in which the store could not be asked, else its error shows", async () => {
      const { text } = await create();
      await credentials.credentialOf(text, here);
      mock.timers.enable({ apis: ["setInterval"] });
      credentials.watch();
      outOfReach = true;
      for (let second = 1; second <= 3; second++) {
        time += 1000;
        mock.timers.tick(1000);
        credentials.credentialOf(text, here);
      }
      time += 1000;
      mock.timers.tick(1000);
      await assert.rejects(async () => credentials.credentialOf(text, here), /out of reach/);
      credentials.credentialOf(text, here, true);
      await assert.rejects(async () => credentials.credentialOf((await create()).text, here, true), /out of reach/);
      outOfReach = false;
      await credentials.credentialOf(text, here);
    });

    test("whose look-up was overtaken by a change are not remembered", async () => {
      const { text } = await create();
      const lookUp = credentials.credentialOf(text, here);
      await until(() => asked > 0);
      credentials.forget();
      await lookUp;
      assert.ok(credentials.credentialOf(text, here) instanceof Promise);
    });

    test("in an endless header are good, but not remembered", async () => {
      const { text } = await create();
      const header = `Bearer${" ".repeat(1000)}${text}`;
      await credentials.credentialOf(header, here);
      assert.ok(credentials.credentialOf(header, here) instanceof Promise);
    });
  });
}
