import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type AskOptions, startService } from "./support/service.ts";

const lookup = "/api/v2/internet/data/lookup";

/** Headers by which a caller pretends that a request was for another host. */
const misleading: AskOptions["headers"][] = [
  { Host: "evil.example" },
  { "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https" },
  { "X-Forwarded-Host": "evil.example, evil.example", "X-Forwarded-Proto": "javascript" },
  { Forwarded: "host=evil.example;proto=https" },
];

suite("the public URL", { concurrency: true }, () => {
  test("samples, help links and servers name the public URL, whatever host a request names", async () => {
    await using service = await startService({
      DUBA_PUBLIC_URL: "https://duba.example/",
      DUBA_TRUST_PROXY: "127.0.0.1",
    });
    const home = await service.ask("/");
    assert.match(home.text, /curl -i &#39;https:\/\/duba\.example\/api/);
    for (const headers of misleading) {
      assert.equal((await service.ask("/", { headers: headers! })).text, home.text);
      const { json } = await service.ask(`${lookup}?provider=x`, { headers: headers! });
      assert.equal(json.error.help, "https://duba.example/docs/errors#provider_not_found");
    }
    for (const path of ["/nowhere", "/api/%"])
      assert.match((await service.ask(path)).json.error.help, /^https:\/\/duba\.example\/docs\/errors#/);
    assert.match(await service.send("NONSENSE\r\n\r\n"), /"https:\/\/duba\.example\/docs\/errors#malformed_request"/);
    const document = (await service.ask("/openapi.json")).json;
    assert.equal(document.servers[0].url, "https://duba.example");
    assert.match(JSON.stringify(document), /"help":"https:\/\/duba\.example\/docs/);
    // The reference sends requests to the origin of its own page, because it may load nothing from elsewhere.
    assert.equal((await service.ask("/docs/reference.json")).json.servers[0].url, "/");
  });

  test("without a public URL, samples name this machine, and help links are paths", async () => {
    await using service = await startService({ DUBA_TRUST_PROXY: "127.0.0.1" });
    for (const headers of misleading) {
      const { text } = await service.ask("/", { headers: headers! });
      assert.match(text, /curl -i &#39;http:\/\/127\.0\.0\.1:8080\/api/);
      assert.doesNotMatch(text, /evil|javascript:/);
    }
    assert.equal((await service.ask("/nowhere")).json.error.help, "/docs/errors#route_not_found");
    assert.equal((await service.ask("/openapi.json")).json.servers[0].url, "/");
  });
});
