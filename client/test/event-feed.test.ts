import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { FaultyProxy } from "../../test/support/faulty-proxy.ts";
import { sandboxKey, suiteService } from "../../test/support/service.ts";
import { Duba, DubaFailure } from "../src/duba.ts";

/** test/client-languages.test.ts tests what the feeds of all languages have in common. */
suite("the feed of events", () => {
  const service = suiteService({ DUBA_LIMITS: "off" });

  test("an event feed with a wait runs until it is aborted, even if the service is away meanwhile", async () => {
    await using proxy = await FaultyProxy.open(service.url, ["none", "502 HTML", "refused"]);
    const stop = new AbortController();
    const duba = new Duba({ url: proxy.url, key: sandboxKey, retries: 0 });
    const types: string[] = [];
    for await (const event of duba.events({ cursor: "0", wait: 5, signal: stop.signal })) {
      types.push(event.type);
      if (types.length === 1) await duba.triggerEvent({ type: "verification.reversed" });
      if (event.type === "verification.reversed") stop.abort();
    }
    assert.deepEqual(types, ["catalogue.published", "verification.reversed"]);
  });

  test("an event feed without a wait ends at the newest event, and throws failures", async () => {
    const read = async (url: string, key: string) => {
      for await (const _ of new Duba({ url, key, retries: 0 }).events());
    };
    await read(service.url, sandboxKey);
    const isFailure = (code: string) => (error: unknown) => error instanceof DubaFailure && error.error.code === code;
    await assert.rejects(read(service.url, "duba_test_wrong"), isFailure("invalid_credentials"));
    await assert.rejects(read("http://127.0.0.1:1", sandboxKey), isFailure("no_answer"));
    assert.throws(() => new Duba({ url: service.url }).events({ wait: 0 }), TypeError);
  });
});
