import assert from "node:assert/strict";
import { Agent } from "node:http";
import { suite, test } from "node:test";
import { assertFailure } from "./support/failure.ts";
import { suiteService } from "./support/service.ts";

const lookup = "/api/v2/internet/data/lookup";
const corporate = "/api/v2/corporate-data/list";
const providers = "/api/v2/internet/data/fetch-providers";
const addOns = "/api/v2/cable-tv/fetch-tv-add-ons";

suite("requests", { concurrency: true }, () => {
  const service = suiteService({ DUBA_LIMITS: "off" });

  /** The types of the bundles in the response to a query string, each once. */
  const typesOf = async (query: string): Promise<string[]> => {
    const response = await service.ask(`${lookup}${query}`);
    assert.equal(response.status, 200, response.text);
    return [...new Set<string>(response.json.data.data.map(({ type }: { type: string }) => type))];
  };

  test("a misspelt parameter or member is named in the refusal", async () => {
    const get = await service.ask(`${addOns}?type=dstv&product_code=PRWE36`);
    const asked = { path: addOns, fields: ["productCode"] };
    assertFailure(get, 422, "validation_failed", { ...asked, message: /The request has product_code instead\./ });
    const body = await service.ask(`${addOns}?type=dstv`, { body: { PRODUCTCODE: "PRWE36" } });
    assertFailure(body, 422, "validation_failed", { ...asked, message: /The request has PRODUCTCODE instead\./ });
    const verify = "/api/v2/kyc/verify-bvn";
    const posted = { bvn: "22000000017", phone_number: "08000000017", amount: "100", "08011112222": "phone" };
    const post = await service.ask(verify, { method: "POST", body: posted });
    assertFailure(post, 422, "validation_failed", {
      ...{ path: verify, fields: ["phone"] },
      message: /The request has phone_number instead\.$/,
    });
  });

  test("a bundle look-up does not trim the provider, and refuses an empty parameter by its name", async () => {
    assert.deepEqual(await typesOf("?provider=GLODATA&type=glodata"), ["GLODATA"]);
    for (const query of ["", "?", "?other=1"]) assert.equal((await typesOf(query)).length, 4, query);
    for (const query of ["?provider=", "?type", "?provider=&type="]) {
      const fields = query.match(/provider|type/g)!;
      const refusal = { path: lookup, fields, message: /must not be empty/ };
      assertFailure(await service.ask(lookup + query), 422, "validation_failed", refusal);
    }
    for (const given of ["%20MTNDATA", "+MTNDATA", "MTNDATA%0A", "%C2%A0MTNDATA", "GLODATA%C4%B1", "%C5%BFtartimes"])
      assertFailure(await service.ask(`${lookup}?provider=${given}`), 404, "provider_not_found", { path: lookup });
  });

  suite("parameters", () => {
    test("a parameter that is repeated with equal values counts once, and conflicts when they differ", async () => {
      assert.deepEqual(await typesOf("?provider=GLODATA&provider=GLODATA&provider=GLODATA"), ["GLODATA"]);
      const response = await service.ask(`${lookup}?provider=GLODATA&provider=MTNDATA`);
      assertFailure(response, 400, "conflicting_parameters", { path: lookup, message: /provider/ });
      const twins = await service.ask(`${addOns}?type=dstv&type=gotv&productCode=PRWE36`);
      assertFailure(twins, 400, "conflicting_parameters", { path: addOns, message: /type/ });
    });
  });

  suite("messages", () => {
    test("no message repeats a BVN in a product code or provider", async () => {
      for (const query of ["type=22123456789&productCode=PRWE36", "type=dstv&productCode=22123456789"]) {
        const response = await service.ask(`${addOns}?${query}`);
        assert.equal(response.status, 404);
        assert.ok(!response.text.includes("2212345678"), response.text);
      }
    });
  });

  suite("paths", () => {
    test("paths are exact: another case, a trailing or doubled slash and a longer path are not found", async () => {
      const wrong = [
        "/API/v2/internet/data/lookup",
        "/api/v2/internet/data/Lookup",
        "/api/v2/internet/data/lookup/",
        "/api/v2//internet/data/lookup",
        "//api/v2/internet/data/lookup",
        "/api/v2/internet/data/lookup/x",
        "/api/v2/internet/data",
        "/api/v2/internet/data/lookup;a=1",
        "/api/v2/./internet/data/lookup",
        "/api/v2/x/../internet/data/lookup",
        "/api/v1/internet/data/lookup",
        "/api/v2/internet/data%2Flookup",
        "/api/v2/internet/data/%6Cookup",
        "/api/v2/internet/data/lookup%20",
        "/api/v2",
      ];
      for (const path of wrong) {
        for (const method of ["GET", "POST"]) {
          const response = await service.ask(path, { method });
          assert.equal(response.headers.location, undefined);
          const isPurchase = method === "POST" && path === "/api/v2/internet/data";
          assertFailure(response, 404, isPurchase ? "not_offered" : "route_not_found");
        }
      }
    });

    test("a path that cannot be decoded is refused, with the path's payload if the path is known", async () => {
      for (const path of ["/api/%", "/%E0%A4%A", "/api/v2/%ff", "/%zz"])
        assertFailure(await service.ask(path), 400, "malformed_request");
      for (const query of ["?provider=%", "?provider=%E0%A4", "?%ff=1"])
        assertFailure(await service.ask(lookup + query), 400, "malformed_request", { path: lookup });
    });
  });

  suite("operations without parameters", () => {
    test("an operation without parameters reads no body and leaves the connection open", async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const opened: unknown[] = [];
      agent.on("free", (socket) => opened.push(socket));
      try {
        for (const body of ["{", "[1]", '{"a":1}', "x".repeat(200_000)]) {
          const response = await service.ask(corporate, { body, agent });
          assert.equal(response.status, 200, response.text);
          assert.equal(response.json.data.length, 22);
        }
        assert.equal((await service.ask(providers, { agent })).status, 200);
        assert.equal(new Set(opened).size, 1);
      } finally {
        agent.destroy();
      }
    });
  });
});
