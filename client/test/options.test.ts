import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { inspect } from "node:util";
import { sandboxKey, suiteService } from "../../test/support/service.ts";
import { Duba, type Options } from "../src/duba.ts";

const person = { bvn: "22000000017", phone: "08000000017", amount: "100" };

suite("the options of the client", () => {
  const service = suiteService();

  test("the base URL may end with the path prefix", async () => {
    for (const end of ["/", "/api/v2", "/api/v2/"]) {
      const answer = await new Duba({ url: service.url + end, key: sandboxKey }).fetchDataProviders();
      assert.ok(answer.success, end);
    }
    const urls: string[] = [];
    const fetching = async (url: unknown) => {
      urls.push(String(url));
      return new Response('{"success":true,"billers":[]}');
    };
    for (const url of ["https://a.example", "https://a.example/api", "https://a.example/duba/api/v2"])
      await new Duba({ url, fetch: fetching as typeof fetch }).fetchCableProviders();
    const path = "/cable-tv/fetch-providers";
    assert.deepEqual(urls, [
      `https://a.example/api/v2${path}`,
      `https://a.example/api${path}`,
      `https://a.example/duba/api/v2${path}`,
    ]);
  });

  test("an invalid client option throws a TypeError that does not repeat the value", async () => {
    const wrong: Partial<Record<keyof Options, unknown>>[] = [
      ...[{ key: "a secret\n" }, { key: "" }, { key: null }, { url: "duba.example" }, { url: "ftp://duba.example" }],
      ...[{ timeout: Number.NaN }, { timeout: 0 }, { timeout: 2 ** 31 }, { timeout: "10" }, { backoff: -1 }],
      ...[{ retries: -1 }, { retries: 1.5 }, { retries: null }, { cache: Number.POSITIVE_INFINITY }],
      ...[{ longestWait: Number.POSITIVE_INFINITY }, { fetch: "fetch" }, { onAnswer: {} }],
    ];
    for (const options of wrong)
      assert.throws(
        () => new Duba({ url: service.url, ...(options as Partial<Options>) }),
        (error) => error instanceof TypeError && !error.message.includes("secret"),
        inspect(options),
      );
    const duba = new Duba({ url: service.url, key: sandboxKey });
    for (const options of [{ idempotencyKey: "é" }, { idempotencyKey: "" }, { timeout: Number.NaN }, { retries: -1 }])
      await assert.rejects(duba.verifyBvn(person, options), TypeError, inspect(options));
    await assert.rejects(duba.verifyBvn(person, { signal: {} as AbortSignal }), TypeError);
  });
});
