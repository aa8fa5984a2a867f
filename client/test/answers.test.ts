import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { FaultyProxy } from "../../test/support/faulty-proxy.ts";
import { sandboxKey, suiteService } from "../../test/support/service.ts";
import { Duba } from "../src/duba.ts";

const person = { bvn: "22000000017", phone: "08000000017", amount: "100" };

suite("the client", () => {
  const service = suiteService();

  test("the client rejects a success without its payload", async () => {
    await using proxy = await FaultyProxy.open(service.url, ["200 success alone", "200 success without data"]);
    const answers = new Duba({ url: proxy.url, backoff: 4 }).lookupDataBundles({ provider: "MTNDATA" });
    assert.ok((await answers).success);
    assert.equal(proxy.passed.length, 3);
  });

  test("the client reports a failure without code or message as unexpected, with the idempotency key", async () => {
    for (const fault of [
      "503 failure without a code",
      "503 failure with a number as code",
      "503 failure without a message",
      "503 nested",
    ] as const) {
      await using proxy = await FaultyProxy.open(service.url, [fault]);
      const duba = new Duba({ url: proxy.url, key: sandboxKey, retries: 0 });
      const outcome = await duba.verifyBvn(person, { idempotencyKey: "an-own-key" });
      assert.ok(!outcome.success);
      assert.deepEqual([outcome.error.code, outcome.error.idempotency_key], ["unexpected_answer", "an-own-key"], fault);
    }
  });

  test("the client accepts a record with a masked BVN, and a record for a request whose BVN has spaces", async () => {
    const masked = { success: true, message: "", data: { bvn_number: `*******${person.bvn.slice(-4)}` } };
    const duba = new Duba({ url: service.url, fetch: async () => Response.json(masked) });
    assert.ok((await duba.verifyBvn(person)).success);
    const sandbox = new Duba({ url: service.url, key: sandboxKey });
    const spaced = await sandbox.verifyBvn({ ...person, bvn: `${person.bvn.slice(0, 4)} ${person.bvn.slice(4)}` });
    assert.ok(spaced.success, JSON.stringify(spaced));
    const nin = await sandbox.verifyNin({ nin: "70000000017", phone: person.phone, amount: "100" });
    assert.ok(nin.success, JSON.stringify(nin));
  });
});
