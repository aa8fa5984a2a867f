import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ConfigError, readConfig } from "../src/config/read-config.ts";
import { usualEngines } from "./support/engines.ts";
import { assertFailure } from "./support/failure.ts";
import { startService } from "./support/service.ts";

const corporate = "/api/v2/corporate-data/list";
const lookup = "/api/v2/internet/data/lookup";
const addOns = "/api/v2/cable-tv/fetch-tv-add-ons";
const exchange = "/api/v2/merchant/authorization";

suite("closed doors", { concurrency: true }, () => {
  test("after 20 failed credentials to any operations, an address is refused even with a good credential", async () => {
    await using service = await startService({ DUBA_TRUST_PROXY: "127.0.0.1" });
    const from = { "X-Forwarded-For": "203.0.113.9" };
    for (let count = 0; count < 20; count += 1) {
      const response =
        count % 2 === 0
          ? await service.ask(corporate, { credential: `duba_test_wrong${count}`, headers: from })
          : await service.ask(exchange, {
              method: "POST",
              credential: false,
              headers: from,
              body: { email: "sandbox@example.com", password: `wrong${count}` },
            });
      assertFailure(response, 401, "invalid_credentials");
    }
    const { text } = await service.newKey();
    for (const credential of ["duba_test_wrong", text]) {
      const response = await service.ask(corporate, { credential, headers: from });
      assertFailure(response, 429, "rate_limited", { path: corporate });
      const wait = Number(response.headers["retry-after"]);
      assert.ok(wait >= 1 && wait <= 60, `${wait}`);
    }
    const body = { email: "sandbox@example.com", password: text };
    const bought = await service.ask(exchange, { method: "POST", credential: false, headers: from, body });
    assertFailure(bought, 429, "rate_limited");
    const elsewhere = await service.ask(corporate, {
      credential: text,
      headers: { "X-Forwarded-For": "203.0.113.10" },
    });
    assert.equal(elsewhere.status, 200);
  });

  test("a client with a token gets another one, although its address is limited", async () => {
    await using service = await startService({});
    const { text } = await service.newKey();
    const buy = (password: string) =>
      service.ask(exchange, { method: "POST", credential: false, body: { email: "sandbox@example.com", password } });
    assert.equal((await buy(text)).status, 200);
    for (let count = 0; count < 20; count += 1) assertFailure(await buy(`wrong${count}`), 401, "invalid_credentials");
    assertFailure(await buy("wrong"), 429, "rate_limited");
    assert.equal((await buy(text)).status, 200);
  });

  test("DUBA_ANONYMOUS=off refuses anonymous callers at operations that are otherwise open to them", async () => {
    await using service = await startService({ DUBA_ANONYMOUS: "off" });
    for (const path of [
      lookup,
      `${addOns}?type=dstv&productCode=PRWE36`,
      "/api/v2/cable-tv/fetch-providers",
      "/api/v2/cable-tv/fetch-billers?type=gotv",
    ]) {
      const bare = path.split("?")[0]!;
      assertFailure(await service.ask(path, { credential: false }), 401, "missing_credentials", { path: bare });
      assert.equal((await service.ask(path)).status, 200);
    }
  });

  test("DUBA_DOCS=off hides the documentation pages and the interface document", async () => {
    await using service = await startService({ DUBA_DOCS: "off" });
    for (const path of ["/", "/docs", "/docs/errors", "/docs/sandbox", "/docs/scalar.js", "/openapi.json"]) {
      const { message } = assertFailure(await service.ask(path), 404, "route_not_found");
      assert.doesNotMatch(message, /docs/);
    }
    for (const path of [lookup, "/healthz", "/readyz"]) assert.equal((await service.ask(path)).status, 200);
  });

  test("a bootstrap key that looks like a live key, is short or has spaces is refused", () => {
    for (const DUBA_BOOTSTRAP_KEY of ["duba_live_0123456789abcdefghijklmnop", "short", "has a space has a space has"])
      assert.throws(
        () => readConfig({ DUBA_BOOTSTRAP_KEY }),
        (problem) =>
          problem instanceof ConfigError &&
          /DUBA_BOOTSTRAP_KEY/.test(problem.message) &&
          !problem.message.includes(DUBA_BOOTSTRAP_KEY),
      );
  });

  for (const engine of usualEngines)
    test(`a path with a person's number gets 404 without a query to the store, on ${engine.name}`, async () => {
      await using service = await startService({ DUBA_LIMITS: "off" }, engine);
      const { db } = await service.store();
      const rename = async (from: "verification" | "api_request" | "away", to: string) =>
        db.schema.alterTable(from).renameTo(to).execute();
      for (const [table, path, code, known] of [
        ["verification", "/api/v2/kyc/verifications/", "verification_not_found", "3wKwKW719640695"],
        ["api_request", "/api/v2/requests/", "request_not_found", "c41f8a2e90d7-3k"],
      ] as const) {
        assertFailure(await service.ask(path + known), 404, code);
        await rename(table, "away");
        for (const number of ["22000000017", "08000000017", "+2348000000017", "2200-0000-017", "bvn:22000000017"])
          assertFailure(await service.ask(path + number), 404, code);
        assert.ok((await service.ask(path + known)).status >= 500, "the store is asked for what can be an id");
        await rename("away", table);
      }
    });
});
