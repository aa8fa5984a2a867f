import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { usualKiB } from "../src/declare/request-bounds.ts";
import { assertFailure } from "./support/failure.ts";
import { type AskOptions, suiteService } from "./support/service.ts";

const addOns = { path: "/api/v2/cable-tv/fetch-tv-add-ons", good: { type: "dstv", productCode: "PRWE36" } };
/** Every way to send a body. */
const ways = [
  { method: "GET", ...addOns },
  { method: "QUERY", ...addOns },
  { method: "POST", path: "/api/v2/kyc/verify-bvn", good: { bvn: "22000000017", phone: "08000000017", amount: "100" } },
];
const json = { "Content-Type": "application/json" };
const otherTypes = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "text/json",
  "application/jsonx",
  "application/jsonp",
  "application/xml",
  "json",
  "*/*",
  "application/json+x",
  "application/json, text/plain",
];
const noJson = ["{", "{}{}", "{'bvn':1}", '{"bvn":"1",}', "bvn=1&phone=2", "\u0000", "undefined", "//", "NaN"];
const noText = [Buffer.from([0xff, 0xfe, 0x7b, 0x7d]), Buffer.from('{"bvn":"\xe9"}', "latin1")];

const service = suiteService({ DUBA_LIMITS: "off" });

/** Bodies by which clients say that they send nothing. */
const nothing = ["", " \r\n\t", "\ufeff", "null", '""', "[]", "{}", " [ ] ", "\n{\n}\n", "\ufeffnull"];

suite("a body that says nothing, in any spelling, framing and media type", { concurrency: true }, () => {
  const framings = [{}, { "Transfer-Encoding": "chunked" }];
  const types = [json, {}, { "Content-Type": "application/x-www-form-urlencoded" }];
  const dressed = nothing.flatMap((body) =>
    framings.flatMap((framing) => types.map((type) => ({ body, headers: { ...type, ...framing } }))),
  );

  test("an empty body with HTTP Basic gets a token", async () => {
    const { text: key } = await service.newKey();
    const basic = `Basic ${Buffer.from(`sandbox@example.com:${key}`).toString("base64")}`;
    for (const { body, headers } of dressed) {
      const authorization = { ...headers, Authorization: basic };
      const options = { method: "POST", body, credential: false, headers: authorization } as const;
      const { status, text } = await service.ask("/api/v2/merchant/authorization", options);
      assert.equal(status, 200, `${JSON.stringify({ body, headers })}: ${text}`);
    }
  });

  test("with an empty body, a look-up by GET or QUERY uses its query string", async () => {
    const path = `${addOns.path}?type=dstv&productCode=PRWE36`;
    for (const method of ["GET", "QUERY"])
      for (const { body, headers } of dressed) {
        const { status, text } = await service.ask(path, { method, body, headers });
        assert.equal(status, 200, `${method} ${JSON.stringify({ body, headers })}: ${text}`);
      }
  });

  test("a verification with an empty body is refused with the names of all required members", async () => {
    for (const { body, headers } of dressed) {
      const response = await service.ask(ways[2]!.path, { method: "POST", body, headers });
      const { error } = assertFailure(response, 422, "validation_failed", { path: ways[2]!.path });
      const names = error.fields.map(({ field }: { field: string }) => field);
      assert.deepEqual(names, ["bvn", "phone", "amount"], JSON.stringify({ body, headers }));
    }
  });
});

for (const { method, path, good } of ways)
  suite(`the body of ${method}`, { concurrency: true }, () => {
    const ask = (options: AskOptions) => service.ask(path, { method, ...options });
    const refused = async (
      options: AskOptions,
      status: number,
      code: Parameters<typeof assertFailure>[2],
      message = /./,
    ) => assertFailure(await ask(options), status, code, { path, message });

    test("a body in any other media type, or compressed, is refused with the header to send", async () => {
      const body = JSON.stringify(good);
      const cure = /Content-Type: application\/json/;
      for (const type of otherTypes)
        await refused({ body, headers: { "Content-Type": type } }, 415, "unsupported_media_type", cure);
      await refused({ body, headers: { ...json, "Content-Encoding": "gzip" } }, 415, "unsupported_media_type");
      for (const headers of [{}, { "Content-Type": ";" }])
        if (method === "GET") assert.equal((await ask({ body, headers })).status, 200);
        else await refused({ body, headers }, 415, "unsupported_media_type", cure);
    });

    test("a body that is not a JSON object is refused", async () => {
      for (const body of ["[]", "null", "0", '""', "false", `[${JSON.stringify(good)}]`])
        await refused({ body, headers: json }, 422, "validation_failed");
    });

    test("a body that is not JSON is refused", async () => {
      for (const body of noJson) await refused({ body, headers: json }, 400, "malformed_json", /from line \d+, char/);
      for (const body of noText) await refused({ body, headers: json }, 400, "malformed_json", /not UTF-8/);
    });

    test("a body in which an object has a member twice, equal or not, at any depth is refused", async () => {
      const [[name, value] = []] = Object.entries(good);
      const rest = JSON.stringify(good).slice(1);
      const escaped = `\\u${name!.charCodeAt(0).toString(16).padStart(4, "0")}${name!.slice(1)}`;
      for (const body of [
        `{"${name}":"${value}",${rest}`,
        `{"${name}":"other",${rest}`,
        `{"${escaped}":"other",${rest}`,
        `{"x":1,"x":1,${rest}`,
        `{"x":[{"y":{"__proto__":1,"__proto__":1}}],${rest}`,
      ])
        await refused({ body, headers: json }, 400, "conflicting_parameters", /twice/);
      const once = `{"x":{"${name}":"a:\\"b","y":[{"${name}":"{"},{"${name}":"{"}]},${rest}`;
      assert.equal((await ask({ body: once, headers: json })).status, 200);
    });

    test(`a body above ${usualKiB.body} KiB is refused, whether its length is announced or not`, async () => {
      const sized = (size: number) => JSON.stringify({ ...good, x: "x".repeat(size) });
      const most = usualKiB.body * 1024 - sized(0).length;
      assert.equal((await ask({ body: sized(most), headers: json })).status, 200);
      for (const size of [most + 1, 200_000])
        for (const headers of [json, { ...json, "Transfer-Encoding": "chunked" }])
          await refused({ body: sized(size), headers }, 413, "body_too_large", new RegExp(`${usualKiB.body} KiB`));
    });
  });
