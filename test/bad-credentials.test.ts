import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { assertDiscreet, assertFailure } from "./support/failure.ts";
import { startService, type TestService } from "./support/service.ts";

const corporate = "/api/v2/corporate-data/list";
const lookup = "/api/v2/internet/data/lookup";
const exchange = "/api/v2/merchant/authorization";
const mismatch = "These business credentials do not match our records. Please check and try again";

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

suite("bad credentials", { concurrency: true }, () => {
  let service: TestService;
  before(async () => {
    service = await startService({
      DUBA_LIMITS: "off",
      DUBA_LIMIT_FAILED_CREDENTIALS: "1000/min",
      DUBA_TRUST_PROXY: "127.0.0.1",
    });
  });
  after(() => service.close());

  test("are refused wherever they are sent, and never repeated", async () => {
    const { text } = await service.newKey();
    const wrong = [
      `${text.slice(0, -1)}${text.endsWith("a") ? "b" : "a"}`,
      text.slice(0, -3),
      `${text}a`,
      text.toUpperCase(),
      text.replace("test", "live"),
      "duba_at_0000000000000000000000000000000000000000000",
      "letmein",
      "Bearer Bearer",
      "é".repeat(8),
      "x".repeat(8000),
    ];
    for (const credential of wrong) {
      for (const path of [corporate, lookup]) {
        const headers = { Authorization: Buffer.from(`Bearer ${credential}`).toString("latin1") };
        const answer = await service.ask(path, { headers });
        assertFailure(answer, 401, "invalid_credentials", { path });
        assert.ok(!answer.text.includes(credential) && !answer.text.includes(text.slice(10, 40)));
      }
    }
    assert.doesNotMatch(JSON.stringify(service.lines), /duba_(test|live|at)_[0-9A-Za-z]/);
  });

  test("buy no token, and hear one sentence whatever is wrong", async () => {
    const { text, id } = await service.newKey();
    const other = await service.newAccount("Other");
    const pairs: object[] = [
      { email: "sandbox@example.com", password: `${text}x` },
      { email: "nobody@example.com", password: text },
      { email: other, password: text },
      { email: id, password: text },
      { email: "sandbox@example.com", password: id },
    ];
    const ways = pairs.map((body) => ({ body, headers: {} as Record<string, string> }));
    for (const header of [basic(id, "x"), basic(other, text), basic("", text), "Basic", "Basic !!!", "basic eA=="])
      ways.push({ body: {}, headers: { Authorization: header } });
    for (const { body, headers } of ways) {
      const answer = await service.ask(exchange, { method: "POST", credential: false, body, headers });
      assert.equal(assertFailure(answer, 401, "invalid_credentials").message, mismatch);
      assertDiscreet(answer.text);
    }
  });

  test("buy no token when a member is missing or no text", async () => {
    for (const [body, field] of [
      [{ email: "sandbox@example.com" }, "password"],
      [{ password: "x" }, "email"],
      [{ email: 1, password: "x" }, "email"],
      [{ email: "sandbox@example.com", password: null }, "password"],
    ] as const) {
      const answer = await service.ask(exchange, { method: "POST", credential: false, body });
      assertFailure(answer, 422, "validation_failed", { fields: [field] });
    }
    assertFailure(
      await service.ask(exchange, { method: "POST", credential: false, body: {} }),
      401,
      "missing_credentials",
    );
  });

  test("may come from an address that a trusted proxy names", async () => {
    const { text } = await service.newKey({ addresses: ["203.0.113.7"] });
    const from = (address: string) =>
      service.ask(corporate, { credential: text, headers: { "X-Forwarded-For": address } });
    assert.equal((await from("203.0.113.7")).status, 200);
    assert.equal((await from("198.51.100.1, 203.0.113.7")).status, 200);
    assertFailure(await from("203.0.113.7, 198.51.100.1"), 403, "address_not_allowed", { path: corporate });
    assertFailure(await from("nonsense"), 403, "address_not_allowed", { path: corporate });
  });
});
