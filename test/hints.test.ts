import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { sandboxKey, suiteService, type TestService } from "./support/service.ts";
import { until } from "./support/until.ts";

const lookup = "/api/v2/internet/data/lookup";
const verify = "/api/v2/kyc/verify-bvn";
const person = { bvn: "22000000017", phone: "08000000017", amount: "100" };

suite("a test key's silent mistakes", { concurrency: true }, () => {
  const service = suiteService({ DUBA_LIMITS: "off" });

  type Asked = Parameters<TestService["ask"]>[1];
  const hinted = async (path: string, options?: Asked) => {
    const { headers, status } = await service.ask(path, options);
    return [status, headers["duba-hint"]];
  };
  const takesProvider = "lookupDataBundles does not read network. It takes provider, type.";

  for (const [mistake, path, options, hint] of [
    ["a parameter of another name", `${lookup}?network=MTN`, {}, takesProvider],
    [
      "a parameter beside none",
      "/api/v2/corporate-data/list?size=1",
      {},
      /^listCorporateBundles does not read size\. It takes no parameters\.$/,
    ],
    [
      "a header of another name",
      verify,
      { method: "POST", body: person, headers: { "X-Idempotency-Key": "k" } },
      "X-Idempotency-Key is not read. Send Idempotency-Key.",
    ],
    [
      "a NIN beside the BVN",
      verify,
      { method: "POST", body: { ...person, nin: "70000000017" } },
      "verifyBvn does not read nin. It takes bvn, phone, amount, first_name, last_name, date_of_birth in a JSON body.",
    ],
    [
      "a number in the query string of a POST",
      `${verify}?bvn=22000000017`,
      { method: "POST", body: person },
      "verifyBvn does not read bvn in the query string. It takes bvn, phone, amount, first_name, last_name, " +
        "date_of_birth in a JSON body.",
    ],
    [
      "a key in another header",
      lookup,
      { credential: false, headers: { "x-api-key": "duba_test_x" } },
      "X-API-Key is not read. Send Authorization: Bearer <api key>.",
    ],
    [
      "a key in the URL",
      `${lookup}?api_key=duba_test_x`,
      { credential: false },
      "api_key in the URL is not read. Send Authorization: Bearer <api key>.",
    ],
    [
      "an API-Key",
      lookup,
      { credential: false, headers: { "api-key": "duba_test_x" } },
      "API-Key is not read. Send Authorization: Bearer <api key>.",
    ],
    [
      "headers of other names",
      verify,
      { method: "POST", body: person, headers: { "Idempotent-Key": "k", "X-Consent-Reference": "c" } },
      "Idempotent-Key is not read. Send Idempotency-Key. X-Consent-Reference is not read. Send Consent-Reference.",
    ],
    [
      "another amount than the fee",
      verify,
      { method: "POST", body: { ...person, amount: "50" } },
      "amount is not the fee: send 100.",
    ],
    [
      "another amount than the fee of a NIN",
      "/api/v2/kyc/verify-nin",
      { method: "POST", body: { nin: "70000000017", phone: person.phone, amount: "1" } },
      /^amount is not the fee: send \d+\.$/,
    ],
    [
      "a name that holds a number",
      `${lookup}?22000000017=1`,
      {},
      "lookupDataBundles does not read a parameter. It takes provider, type.",
    ],
  ] as [string, string, Asked, string | RegExp][])
    test(`a test key gets a hint: ${mistake}`, async () => {
      // A target is known from the second time on.
      for (const _ of [1, 2]) {
        const [status, told] = await hinted(path, options);
        assert.equal(status, 200);
        if (typeof hint === "string") assert.equal(told, hint);
        else assert.match(String(told), hint);
        assert.doesNotMatch(String(told), /22000000017/);
      }
    });

  for (const [mistake, path, body, unread] of [
    ["a NIN in place of the BVN", verify, { nin: "70000000017", phone: person.phone, amount: "100" }, "nin"],
    ["a phone of another name", verify, { bvn: person.bvn, msisdn: person.phone, amount: "100" }, "msisdn"],
    ["all of it one level too deep", verify, { data: person }, "data"],
    ["all of it in the query string", `${verify}?${new URLSearchParams(person)}`, {}, "bvn in the query string"],
  ] as const)
    test(`a test key gets a hint with the refusal: ${mistake}`, async () => {
      const [status, told] = await hinted(path, { method: "POST", body });
      assert.equal(status, 422);
      assert.ok(String(told).startsWith(`verifyBvn does not read ${unread}`), String(told));
    });

  test("failures can contain several hints at once", async () => {
    const headers = { "X-Idempotency-Key": "k" };
    const body = { ...person, bvn: "00000000001" };
    const response = await service.ask(`${verify}?x=1`, { method: "POST", body, headers });
    assert.equal(response.status, 404);
    assert.equal(
      response.headers["duba-hint"],
      "X-Idempotency-Key is not read. Send Idempotency-Key. verifyBvn does not read x in the query string. " +
        "It takes bvn, phone, amount, first_name, last_name, date_of_birth in a JSON body.",
    );
    assert.deepEqual(
      await hinted("/api/v2/corporate-data/list", { credential: false, headers: { "X-API-Key": "k" } }),
      [401, "X-API-Key is not read. Send Authorization: Bearer <api key>."],
    );
  });

  test("live keys, requests that send no key in any place, and requests without a mistake get no hint", async () => {
    const { text: live } = await service.newKey({ mode: "live" });
    const query = `${lookup}?network=MTN`;
    for (const credential of [live, false] as const)
      assert.deepEqual(await hinted(query, { credential }), [200, undefined]);
    assert.deepEqual(await hinted(query), [200, takesProvider]);
    const withBoth = { headers: { "X-API-Key": "k" } };
    assert.deepEqual(await hinted(`${lookup}?provider=MTNDATA`, withBoth), [200, undefined]);
    const liveElsewhere = { credential: false, headers: { "X-API-Key": "duba_live_x" } } as const;
    assert.deepEqual(await hinted(lookup, liveElsewhere), [200, undefined]);
  });

  test("the request log lists a key's requests of unknown paths, without these paths", async () => {
    const { text: credential } = await service.newKey({ account: await service.newAccount("Lost") });
    const ids: string[] = [];
    for (const path of ["/api/v2/kyc/verify_bvn/22000000017", "/wp-login.php?name=secret"]) {
      const { headers } = await service.ask(path, { credential });
      const id = String(headers["x-request-id"]);
      ids.push(id);
      const entry = async () => (await service.ask(`/api/v2/requests/${id}`, { credential })).json;
      await until(async () => (await entry()).success);
      assert.partialDeepStrictEqual(await entry(), {
        data: { operation: "none", status: 404, code: "route_not_found" },
      });
      assert.doesNotMatch(JSON.stringify(await entry()), /verify_bvn|22000000017|wp-login|secret/);
    }
    await service.ask("/api/v2/nothing-here", { credential: "wrong" });
    const { data } = (await service.ask("/api/v2/requests", { credential })).json;
    assert.deepEqual(
      data.map(({ request_id }: { request_id: string }) => request_id),
      ids,
    );
    assert.notEqual(credential, sandboxKey);
  });
});
