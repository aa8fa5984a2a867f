import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import { assertFailure } from "./support/failure.ts";
import { Line } from "./support/raw.ts";
import { type AskOptions, type ServiceResponse, startService, suiteService } from "./support/service.ts";

const path = "/api/v2/cable-tv/fetch-tv-add-ons";
const premium = { type: "dstv", productCode: "PRWE36" };
const query = "?type=dstv&productCode=PRWE36";
const json = { "Content-Type": "application/json" };

suite("requests for add-ons", { concurrency: true }, () => {
  const service = suiteService({ DUBA_LIMITS: "off" });
  after(async () => {
    assert.deepEqual(
      service.lines.filter(({ level }) => level === "error"),
      [],
    );
  });

  const ask = (options: AskOptions = {}, from = "") => service.ask(path + from, { credential: false, ...options });
  const read = async (options?: AskOptions, from?: string): Promise<ServiceResponse> => {
    const response = await ask(options, from);
    assert.equal(response.status, 200, response.text);
    return response;
  };

  /** Each way to send the two members, with whether that way uses a body. */
  const ways: [string, boolean, AskOptions, string][] = [
    ["GET with a JSON body", true, { body: premium }, ""],
    ["GET with a body and no Content-Type", true, { body: JSON.stringify(premium) }, ""],
    ["GET with the members in the query string", false, {}, query],
    ["QUERY with a JSON body", true, { method: "QUERY", body: premium }, ""],
    ["GET with one member here and one there", true, { body: { productCode: "PRWE36" } }, "?type=dstv"],
    ["GET with the members in both places", true, { body: premium }, query],
    ["GET with +json", true, { body: premium, headers: { "Content-Type": "application/vnd.x+json" } }, ""],
    ["GET with a charset", true, { body: premium, headers: { "Content-Type": "Application/JSON;charset=latin1" } }, ""],
    ["GET with a byte order mark", true, { body: `\uFEFF${JSON.stringify(premium)}`, headers: json }, ""],
    ["GET with an empty body", false, { body: "", headers: json }, query],
    ["a body of length 0 of any type", false, { body: "", headers: { "Content-Type": "text/plain" } }, query],
    ["a chunked body", true, { body: premium, headers: { "Transfer-Encoding": "chunked" } }, ""],
    [
      "members nobody knows",
      true,
      { body: `{"x":[1],"__proto__":{"type":1},${JSON.stringify(premium).slice(1)}` },
      "?y=1",
    ],
  ];

  for (const [name, inBody, options, from] of ways) {
    test(`${name} is answered like any other way to ask for add-ons`, async () => {
      const usual = await read({}, query);
      const response = await read(options, from);
      assert.equal(response.text, usual.text);
      assert.equal(response.headers.etag, usual.headers.etag);
      if (inBody) {
        assert.equal(response.headers["cache-control"], "no-store");
        assert.equal(response.headers["content-location"], path + query);
      } else {
        assert.equal(response.headers["cache-control"], "public, max-age=60, stale-if-error=600");
        assert.equal(response.headers["content-location"], undefined);
      }
    });
  }

  test("caches may not store a 304 to a request whose body chooses the list", async () => {
    const { headers } = await read({ body: premium });
    const response = await ask({ body: premium, headers: { "If-None-Match": headers.etag! } });
    assert.equal(response.status, 304);
    assert.equal(response.headers["cache-control"], "no-store");
    assert.equal(response.headers["content-location"], path + query);
  });

  test("a request to an answer's Content-Location gets an equal answer", async () => {
    const response = await read({ body: { type: "DStv", productCode: "prwe36" } });
    const twin = await service.ask(response.headers["content-location"]!, { credential: false });
    assert.equal(twin.text, response.text);
  });

  test("a member with different values in query and body is refused", async () => {
    for (const body of [{ type: "gotv" }, { productCode: "COMPE36" }])
      assertFailure(await ask({ body }, query), 400, "conflicting_parameters", { path });
  });

  test("all missing members are named at once, whether they belong in query or body", async () => {
    const both = { path, fields: ["type", "productCode"] };
    assertFailure(await ask(), 422, "validation_failed", both);
    assertFailure(await ask({ body: "" }), 422, "validation_failed", both);
    assertFailure(await ask({ body: {} }), 422, "validation_failed", both);
    assertFailure(await ask({ method: "QUERY" }), 422, "validation_failed", both);
    assertFailure(await ask({}, "?type=&productCode="), 422, "validation_failed", both);
    assertFailure(await ask({ body: { type: null, productCode: ["PRWE36"] } }), 422, "validation_failed", both);
    assertFailure(await ask({ body: { type: 7 } }, "?productCode=PRWE36"), 422, "validation_failed", {
      path,
      fields: ["type"],
    });
    assertFailure(await ask({}, "?product_code=PRWE36&type=dstv"), 422, "validation_failed", {
      path,
      fields: ["productCode"],
    });
  });

  test("the service waits for a body as long as its setting says, then refuses the request", async () => {
    await using service = await startService({ DUBA_REQUEST_TIMEOUT: "1s" });
    const head = (rest: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n${rest}`;
    const [slowBody, slowHead] = [new Line(service.port), new Line(service.port)];
    const begun = Date.now();
    slowBody.say(head('Content-Length: 40\r\n\r\n{"type"'));
    slowHead.say(head("X-Slow:"));
    const [[body], [unknown]] = await Promise.all([slowBody.heard(1), slowHead.heard(1)]);
    const waited = Date.now() - begun;
    assertFailure(body!, 408, "request_timeout", { path });
    assertFailure(unknown!, 408, "request_timeout");
    assert.ok(waited >= 900, `${waited} ms`);
    await Promise.all([slowBody.closed, slowHead.closed]);
    assert.equal(slowBody.answers.length, 1);
  });
});
