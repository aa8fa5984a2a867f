import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { usualEngines } from "../../test/support/engines.ts";
import { recorded } from "./access.fixture.ts";
import { changeAccount, createAccount, resumeAccount, suspendAccount } from "./accounts/accounts.ts";
import { failsAs, here, SuiteCredentials } from "./authenticator.fixture.ts";
import { revokeKey } from "./keys/keys.ts";
import { newAccessToken, newApiKey } from "./secrets.ts";

for (const engine of usualEngines) {
  suite(`credentials on ${engine.name}`, () => {
    const its = new SuiteCredentials(engine);

    test("a key is accepted bare, or after Bearer in any case with any number of spaces", async () => {
      const { key, text } = await its.create({ scopes: ["identity:verify"], expiresAt: its.time + 5000 });
      for (const header of [text, `Bearer ${text}`, `bearer   ${text}`, `BEARER ${text}`]) {
        assert.deepEqual(await its.credentials.credentialOf(header, here), {
          accountId: its.account.id,
          keyId: key.id,
          mode: "live",
          scopes: ["identity:verify"],
          fees: {},
          answers: "full",
          terms: {},
          expiresAt: its.time + 5000,
        });
      }
    });

    test("a token is accepted bare or after Bearer, and acts as its key", async () => {
      const { key } = await its.create({ scopes: ["catalogue:read"] });
      const token = await its.buy(key.id, its.time + 5000);
      for (const header of [`Bearer ${token}`, token]) {
        assert.deepEqual(await its.credentials.credentialOf(header, here), {
          accountId: its.account.id,
          keyId: key.id,
          mode: "live",
          scopes: ["catalogue:read"],
          fees: {},
          answers: "full",
          terms: {},
          expiresAt: its.time + 5000,
        });
      }
    });

    test("credentials carry their account's terms, and fail while the account is suspended", async () => {
      const { id } = await createAccount(recorded(its.store.db), { name: "Terms", email: "terms@example.com" });
      const { text } = await its.create({ account: id });
      const used = async () => {
        await its.credentials.refresh();
        return its.credentials.credentialOf(`Bearer ${text}`, here);
      };
      assert.deepEqual((await used()).fees, {});
      await changeAccount(recorded(its.store.db), id, { fees: { bvn: 8_050 }, answers: "masked" });
      const { fees, answers } = await used();
      assert.deepEqual({ fees, answers }, { fees: { bvn: 8_050 }, answers: "masked" });
      await suspendAccount(recorded(its.store.db), id);
      await assert.rejects(used(), failsAs("invalid_credentials", /suspended/));
      await resumeAccount(recorded(its.store.db), id);
      assert.equal((await used()).accountId, id);
    });

    test("a known credential is accepted synchronously, without the store", async () => {
      const { text } = await its.create();
      const first = await its.credentials.credentialOf(`Bearer ${text}`, here);
      assert.equal(its.asked, 1);
      assert.equal(its.credentials.credentialOf(`Bearer ${text}`, here), first);
      assert.equal(its.asked, 1);
    });

    test("concurrent requests with one credential share one look-up", async () => {
      const { text } = await its.create();
      const callers = Array.from({ length: 50 }, (_, host) => its.credentials.credentialOf(text, `203.0.113.${host}`));
      await Promise.all(callers);
      assert.equal(its.asked, 1);
    });

    test("a credential of a wrong form or checksum is refused without a look-up", async () => {
      const { text } = await its.create();
      await its.refused(`Bearer ${text.slice(0, -1)}`, "invalid_credentials", /mistyped or cut short/);
      await its.refused(`Bearer ${text.replace("live", "test")}`, "invalid_credentials", /mistyped or cut short/);
      await its.refused(`Bearer ${newAccessToken().text}x`, "invalid_credentials", /access token/);
      await its.refused("Bearer something", "invalid_credentials", /Send `Bearer <api key>`/);
      await its.refused("Basic YTpi", "invalid_credentials", /authorization only/);
      assert.equal(its.asked, 0);
    });

    test("the answer to a malformed credential says how to write one, and does not repeat it", async () => {
      const { text } = await its.create();
      for (const [header, what] of [
        [`Bearer Bearer ${text}`, /the word Bearer twice/],
        [`Bearer bearer`, /the word Bearer twice/],
        [`Token ${text}`, /another word than Bearer/],
        [`Bearer: ${text}`, /another word than Bearer/],
        [`ApiKey key=${text}`, /another word than Bearer/],
        [`Bearer "${text}"`, /quotation marks/],
        [`Bearer '${text}'`, /quotation marks/],
        ["Bearer $DUBA_API_KEY", /place of a key/],
        [`Bearer \${DUBA_API_KEY}`, /place of a key/],
        ["Bearer {{api_key}}", /place of a key/],
        ["Bearer <api key>", /place of a key/],
        ["Bearer %DUBA_API_KEY%", /place of a key/],
        ["Bearer process.env.DUBA_API_KEY", /place of a key/],
        ["Bearer YOUR_API_KEY", /place of a key/],
        ["Bearer undefined", /place of a key/],
        ["Bearer null", /place of a key/],
        ["Bearer [object Object]", /place of a key/],
        ["Bearer sk_live_4eC39HqLyjWDarjtT1zdp7dc", /another service/],
        ["FLWSECK_TEST-4eC39HqLyjWDarjtT1zdp7dc-X", /another service/],
        ["Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", /another service/],
        ["Bearer whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", /events/],
      ] as const) {
        await its.refused(header, "invalid_credentials", what);
        for (const part of header.split(/[\s="']+/).filter((part) => part.length > 8))
          await assert.rejects(its.refused(header, "invalid_credentials", new RegExp(RegExp.escape(part))), header);
      }
      assert.equal(its.asked, 0);
    });

    test("unknown, revoked and wrong credentials get the same answer", async () => {
      const { key, text } = await its.create();
      await revokeKey(recorded(its.store.db), key.id);
      const { id, text: unknown } = newApiKey("live");
      const { hash } = newApiKey("live");
      await its.refused(text, "invalid_credentials", /not in force/);
      await its.refused(unknown, "invalid_credentials", /not in force/);
      const { key: other } = await its.create();
      await its.store.db.updateTable("api_key").set({ id, secret_hash: hash }).where("id", "=", other.id).execute();
      await its.refused(unknown, "invalid_credentials", /not in force/);
      await its.refused(newAccessToken().text, "invalid_credentials", /access token is not in force/);
    });

    test("failed credentials are looked up again, so that a new key works at once", async () => {
      const { key, text } = await its.create();
      await its.store.db.updateTable("api_key").set({ revoked_at: 1 }).where("id", "=", key.id).execute();
      await its.refused(text, "invalid_credentials");
      await its.store.db.updateTable("api_key").set({ revoked_at: null }).where("id", "=", key.id).execute();
      await its.credentials.credentialOf(text, here);
    });

    test("keys and tokens expire to the millisecond, whether or not they are cached", async () => {
      const { key, text } = await its.create({ expiresAt: its.time + 1000 });
      const token = await its.buy(key.id, its.time + 500);
      const headers = [text, token];
      for (const header of headers) await its.credentials.credentialOf(header, here);
      its.time += 499;
      for (const header of headers) its.credentials.credentialOf(header, here);
      its.time += 1;
      assert.throws(() => its.credentials.credentialOf(token, here), failsAs("expired_credentials", /access token/));
      its.time += 499;
      its.credentials.credentialOf(text, here);
      its.time += 1;
      assert.throws(() => its.credentials.credentialOf(text, here), failsAs("expired_credentials", /API key/));
      its.credentials.forget();
      for (const header of headers) await its.refused(header, "expired_credentials");
    });

    test("a token expires with its key, even before its own expiry", async () => {
      const { key } = await its.create({ expiresAt: its.time + 1000 });
      const token = await its.buy(key.id, its.time + 5000);
      assert.equal((await its.credentials.credentialOf(token, here)).expiresAt, its.time + 1000);
      its.time += 1000;
      await its.refused(token, "expired_credentials", /API key of this access token/);
    });

    test("a token stops working when its key is revoked", async () => {
      const { key } = await its.create();
      const token = await its.buy(key.id, its.time + 5000);
      await its.credentials.credentialOf(token, here);
      await revokeKey(recorded(its.store.db), key.id);
      its.credentials.forget();
      await its.refused(token, "invalid_credentials");
    });

    test("a key works from its allowed addresses only, at every use", async () => {
      const { key, text } = await its.create({ addresses: ["203.0.113.7", "10.0.0.0/8", "2001:db8::/32"] });
      const token = await its.buy(key.id, its.time + 5000);
      for (const header of [text, token]) {
        await its.refused(header, "address_not_allowed", /from your address, 203\.0\.113\.8\.$/, "203.0.113.8");
        for (const address of [here, "10.9.8.7", "::ffff:10.9.8.7", "2001:db8:5::1"])
          assert.equal((await its.credentials.credentialOf(header, address)).keyId, key.id);
        for (const address of ["203.0.113.8", "::ffff:203.0.113.8", "2001:db9::1", ""])
          assert.throws(() => its.credentials.credentialOf(header, address), failsAs("address_not_allowed"));
      }
    });
  });
}
