import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { usualEngines } from "../../test/support/engines.ts";
import { until } from "../../test/support/until.ts";
import { recorded } from "./access.fixture.ts";
import { bootstrap, here, SuiteCredentials } from "./authenticator.fixture.ts";
import { firstStart } from "./bootstrap.ts";
import { revokeKey } from "./keys/keys.ts";
import { newApiKey } from "./secrets.ts";

for (const engine of usualEngines) {
  suite(`remembered credentials on ${engine.name}`, () => {
    const its = new SuiteCredentials(engine);

    test("after a change, a remembered key is checked again, even if its address is at the failure limit", async () => {
      its.credentials = its.open({ count: 20, seconds: 60 });
      const { key, text } = await its.create();
      await its.credentials.credentialOf(text, here);
      for (let count = 0; count < 20; count++) await its.refused(newApiKey("live").text, "invalid_credentials");
      await its.refused(newApiKey("live").text, "rate_limited");
      its.credentials.forget();
      assert.equal((await its.credentials.credentialOf(text, here)).keyId, key.id);
      await revokeKey(recorded(its.store.db), key.id);
      its.credentials.forget();
      await its.refused(text, "invalid_credentials");
      await its.refused(text, "rate_limited");
    });

    test("remembered credentials need no look-up while nothing changes", async () => {
      const { text } = await its.create();
      const known = await its.credentials.credentialOf(text, here);
      for (let second = 1; second <= 10; second++) {
        its.time += 1000;
        await its.credentials.refresh();
      }
      assert.equal(its.credentials.credentialOf(text, here), known);
    });

    test("after another process changed the bootstrap value, the old value and its token are refused", async () => {
      const changed = "another-bootstrap-for-tests";
      const token = await its.buy((await its.credentials.credentialOf(bootstrap, here)).keyId, its.time + 5000);
      await firstStart(recorded(its.store.db), changed);
      await its.refused(changed, "invalid_credentials");
      await its.credentials.refresh();
      for (const old of [bootstrap, token]) await its.refused(old, "invalid_credentials");
      assert.equal((await its.credentials.credentialOf(changed, here)).mode, "test");
      await firstStart(recorded(its.store.db), bootstrap);
    });

    test("after 4 s without the store, remembered keys work for catalogue look-ups only", async () => {
      const { text } = await its.create();
      await its.credentials.credentialOf(text, here);
      its.outOfReach = true;
      for (let second = 1; second <= 3; second++) {
        its.time += 1000;
        await its.credentials.follow(undefined);
        its.credentials.credentialOf(text, here);
      }
      its.time += 1000;
      await its.credentials.follow(undefined);
      await assert.rejects(async () => its.credentials.credentialOf(text, here), /out of reach/);
      its.credentials.credentialOf(text, here, true);
      await assert.rejects(
        async () => its.credentials.credentialOf((await its.create()).text, here, true),
        /out of reach/,
      );
      its.outOfReach = false;
      await its.credentials.credentialOf(text, here);
    });

    test("a credential is not remembered if its key changes during the look-up", async () => {
      const { text } = await its.create();
      const lookUp = its.credentials.credentialOf(text, here);
      await until(() => its.asked > 0);
      its.credentials.forget();
      await lookUp;
      assert.ok(its.credentials.credentialOf(text, here) instanceof Promise);
    });

    test("a credential in a very long header works, but is not remembered", async () => {
      const { text } = await its.create();
      const header = `Bearer${" ".repeat(1000)}${text}`;
      await its.credentials.credentialOf(header, here);
      assert.ok(its.credentials.credentialOf(header, here) instanceof Promise);
    });
  });
}
