import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { assertFailure } from "./support/failure.ts";
import { Line } from "./support/raw.ts";
import { type AskOptions, type ServiceResponse, sandboxKey, suiteService } from "./support/service.ts";

const path = "/api/v2/kyc/verify-bvn";
const good = { bvn: "22000000017", phone: "08000000017", amount: "100" };
const json = { "Content-Type": "application/json" };

suite("requests for a verification", { concurrency: true }, () => {
  const service = suiteService({ DUBA_LIMITS: "off" });

  const ask = (options: AskOptions = {}) => service.ask(path, { method: "POST", ...options });
  const verified = async (options: AskOptions): Promise<ServiceResponse["json"]> => {
    const response = await ask(options);
    assert.equal(response.status, 200, response.text);
    return response.json.data;
  };
  const refused = async (body: AskOptions["body"], fields: string[]): Promise<ServiceResponse["json"]> => {
    const response = await ask({ body: body ?? "", headers: json });
    const failure = assertFailure(response, 422, "validation_failed", { path, fields });
    assert.equal(failure.error.charged, false);
    assert.equal(failure.error.upstream_called, false);
    assert.equal(failure.error.request_reference, null);
    return failure;
  };
  const sentenceOf = (failure: ServiceResponse["json"], field: string): string =>
    failure.error.fields.find((problem: { field: string }) => problem.field === field).message;

  test("all forms of a phone number are equal, with spaces anywhere", async () => {
    for (const phone of ["08000000017", "2348000000017", "+ 234 800 000 0017", "8000000017"]) {
      const { bvn_number, personal_info } = await verified({ body: { ...good, bvn: " 220 0000 0017", phone } });
      assert.deepEqual([bvn_number, personal_info.phone_number], [good.bvn, "08000000017"]);
    }
  });

  test("a malformed BVN or phone number is refused, and no failure repeats the BVN", async () => {
    for (const bvn of ["", "220000000170", "22-000000017", "22000000017\n"]) {
      const failure = await refused({ ...good, bvn }, ["bvn"]);
      assert.match(sentenceOf(failure, "bvn"), /11 digits/);
      assert.doesNotMatch(JSON.stringify(failure), /2200000001/);
    }
    await refused({ ...good, phone: "0800-000-0017", amount: "1.005" }, ["phone", "amount"]);
    for (const phone of ["0800000001", "2340800000001", "00800000001"])
      assert.match(sentenceOf(await refused({ ...good, phone }, ["phone"]), "phone"), /ten digits .* first is not 0/);
  });

  test("numbers where text is documented are refused with the reason", async () => {
    const failure = await refused({ bvn: 22000000017, phone: 8000000017, amount: 100 }, ["bvn", "phone", "amount"]);
    for (const field of ["bvn", "phone"])
      assert.match(sentenceOf(failure, field), /JSON string, not a number.*leading zeros/);
    assert.match(sentenceOf(failure, "amount"), /JSON string, not a number/);
    assert.doesNotMatch(sentenceOf(failure, "amount"), /leading zeros/);
    assert.doesNotMatch(JSON.stringify(failure), /22000000017|8000000017/);
  });

  test("one failure lists all members that are missing, invalid or not text", async () => {
    await refused({ bvn: null, phone: [good.phone], amount: { naira: "100" } }, ["bvn", "phone", "amount"]);
    await refused({ bvn: true, phone: ["x"], amount: "100" }, ["bvn", "phone"]);
    await refused({}, ["bvn", "phone", "amount"]);
    await refused("", ["bvn", "phone", "amount"]);
    await refused({ bvn: good.bvn }, ["phone", "amount"]);
    await refused({ bvn: "1", phone: "2" }, ["bvn", "phone", "amount"]);
  });

  test("a refusal's message names one problem, and says how many more error.fields has", async () => {
    assert.match(
      (await refused({}, ["bvn", "phone", "amount"])).message,
      /^bvn .* 2 more problems are in error\.fields\.$/,
    );
  });

  test("a request without a body gets all problems at once", async () => {
    const response = await service.send(
      `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a-known-sandbox-key-for-tests\r\nConnection: close\r\n\r\n`,
    );
    assert.match(response, /^HTTP\/1\.1 422 [\s\S]*"field":"bvn"[\s\S]*"field":"phone"[\s\S]*"field":"amount"/);
  });

  test("the query string of a verification is not read", async () => {
    const response = await service.ask(`${path}?${new URLSearchParams({ ...good, bvn: "00000000001" })}`, {
      method: "POST",
      body: good,
    });
    assert.equal(response.json.data.bvn_number, good.bvn);
    const none = await service.ask(`${path}?${new URLSearchParams(good)}`, { method: "POST", body: {} });
    assertFailure(none, 422, "validation_failed", { path, fields: ["bvn", "phone", "amount"] });
  });

  test("a body may begin with a byte order mark and name any charset", async () => {
    const body = `\uFEFF${JSON.stringify(good)}`;
    for (const type of [
      "application/json",
      "APPLICATION/JSON; charset=UTF-8",
      "application/json;charset=iso-8859-1",
      "application/json; charset=utf-16; x=y",
      "application/vnd.api+json",
      "application/problem+json; charset=utf8",
    ])
      assert.equal((await verified({ body, headers: { "Content-Type": type } })).bvn_number, good.bvn, type);
  });

  test("a caller that closes its sending side still gets the outcome that is charged", async () => {
    const line = new Line(service.port);
    const body = JSON.stringify(good);
    const headers = `Host: a\r\nAuthorization: Bearer ${sandboxKey}\r\nContent-Type: application/json`;
    line.say(`POST ${path} HTTP/1.1\r\n${headers}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    const responses = await line.finish();
    assert.deepEqual(
      responses.map(({ status, json }) => [status, json.data.bvn_number]),
      [[200, good.bvn]],
    );
  });
});
