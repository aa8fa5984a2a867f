import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, beforeEach, suite, test } from "node:test";
import { ran, type TestEnvironment } from "../../../test/support/command-line.ts";
import { accessOperations } from "../../access/operations/index.ts";
import { catalogueOperations } from "../../catalogue/operations/index.ts";
import { failureBody } from "../../declare/answers/envelope.ts";
import { Failure } from "../../declare/failures.ts";
import type { Operation } from "../../declare/operation.ts";
import { identityOperations } from "../../verification/operations/index.ts";
import { eventOperations } from "../events/operations/index.ts";

const operations: readonly Operation<never>[] = [
  ...catalogueOperations,
  ...identityOperations,
  ...eventOperations,
  ...accessOperations,
];
const named = (id: string) => operations.find((operation) => operation.id === id)!;
const key = "duba_test_secret";
const bvn = "22000000017";

interface Seen {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

suite("duba call", () => {
  let seen: Seen[] = [];
  let answer: { status: number; body: string };
  let url: string;
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    seen.push({ method, url, headers, body: await text(request) });
    response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
  });
  const duba = (argv: readonly string[], more: TestEnvironment = {}) =>
    ran(["call", ...argv], {
      operations,
      ...more,
      environment: { DUBA_URL: url, DUBA_API_KEY: key, ...more.environment },
    });
  const answers = (body: object, status = 200) => {
    answer = { status, body: JSON.stringify(body) };
  };
  const fails = (failure: Failure) => answers(failureBody(failure, "req-1"), failure.status);

  before(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    seen = [];
  });

  test("duba call without arguments lists every operation with its summary", async () => {
    const { exitCode, out } = await duba([]);
    assert.equal(exitCode, 0);
    for (const { id, summary } of operations) assert.ok(out.includes(`  ${id} `) && out.includes(summary), id);
  });

  for (const operation of operations) {
    test(`duba call explains ${operation.id}: its members, and an example that works as it stands`, async () => {
      const help = (await duba([operation.id, "--help"])).out;
      for (const [name, property] of Object.entries(operation.input.properties)) {
        const { description = "" } = property as { description?: string };
        assert.ok(help.replace(/\s+/g, " ").includes(`${name}=<text> ${description}`), name);
      }
      for (const name of Object.keys(operation.headers?.properties ?? {})) assert.ok(help.includes(`--${name} <text>`));
      const [, example = ""] = /Example:\n {2}duba call (.*)\n/.exec(help) ?? [];
      answers(operation.examples[0]!.answer);
      const { exitCode, err } = await duba(example.split(" "), { stdin: `${bvn}\n` });
      assert.deepEqual({ exitCode, err }, { exitCode: 0, err: "" });
      assert.equal(seen[0]?.method, operation.method);
    });
  }

  test("duba call sends members in the query, with the key", async () => {
    answers(named("fetchTvAddOns").examples[0]!.answer);
    await duba(["fetchTvAddOns", "type=dstv", "productCode=A B&C"]);
    assert.equal(seen[0]?.url, "/api/v2/cable-tv/fetch-tv-add-ons?type=dstv&productCode=A+B%26C");
    assert.equal(seen[0]?.headers.authorization, `Bearer ${key}`);
    assert.equal(seen[0]?.body, "");
  });

  test("duba call sends name=value arguments as strings of the JSON body, and its options as headers", async () => {
    answers(named("verifyBvn").examples[0]!.answer);
    const members = ["bvn=01234567890", "phone=+2348000000017", "amount=100"];
    await duba(["verifyBvn", ...members, "--idempotency-key", "order-17", "--key", "other"]);
    const [{ body, headers, url } = {} as Seen] = seen;
    assert.equal(url, "/api/v2/kyc/verify-bvn");
    assert.deepEqual(JSON.parse(body), { bvn: "01234567890", phone: "+2348000000017", amount: "100" });
    assert.equal(headers["content-type"], "application/json");
    assert.equal(headers["idempotency-key"], "order-17");
    assert.equal(headers.authorization, "Bearer other");
  });

  test("a call that needs a key and has none says where a terminal takes the key from", async () => {
    fails(new Failure("missing_credentials"));
    const cure = "Give the key in DUBA_API_KEY or with --key.\n";
    const none = await duba(["listEvents"], { environment: { DUBA_API_KEY: "" } });
    assert.deepEqual([none.exitCode, none.err.endsWith(cure)], [1, true], none.err);
    assert.ok(!(await duba(["listEvents"])).err.includes(cure), "the key was sent, and is another one");
  });

  test("duba call sends members in the path", async () => {
    answers(named("getVerification").examples[0]!.answer);
    await duba(["getVerification", "request_reference=a/b"]);
    assert.equal(seen[0]?.url, "/api/v2/kyc/verifications/a%2Fb");
    assert.match((await duba(["getVerification"])).err, /needs request_reference=…/);
  });

  test("duba call accepts an address that ends with the prefix of the paths", async () => {
    answers(named("fetchDataProviders").examples[0]!.answer);
    for (const end of ["/api/v2", "/api", ""]) await duba(["fetchDataProviders", "--url", `${url}${end}`]);
    assert.deepEqual(
      seen.map(({ url }) => url),
      ["/api/v2", "/api", "/api/v2"].map((prefix) => `${prefix}/internet/data/fetch-providers`),
    );
    fails(new Failure("route_not_found"));
    const { err } = await duba(["fetchDataProviders", "--url", `${url}/api`]);
    assert.ok(err.includes(`${url}/docs/errors#route_not_found`), err);
  });

  test("duba call sends no key of its own to the operation that buys a token", async () => {
    answers(named("authorizeMerchant").examples[0]!.answer);
    await duba(["authorizeMerchant", "email=a@example.com", "password=-"], { stdin: `${key}\n` });
    assert.equal(seen[0]?.headers.authorization, undefined);
    assert.deepEqual(JSON.parse(seen[0]!.body), { email: "a@example.com", password: key });
  });

  test("duba call reads each name=- from a line of standard input", async () => {
    answers(named("verifyBvn").examples[0]!.answer);
    await duba(["verifyBvn", "bvn=-", "amount=100", "phone=-"], { stdin: `${bvn}\r\n08000000017` });
    assert.deepEqual(JSON.parse(seen[0]!.body), { bvn, amount: "100", phone: "08000000017" });
    const short = await duba(["verifyBvn", "bvn=-", "phone=-"], { stdin: `${bvn}\n` });
    assert.equal(short.exitCode, 2);
    assert.match(short.err, /^Standard input has no line for phone\./);
  });

  test("duba call shows a list as a table", async () => {
    answers(named("lookupDataBundles").examples[0]!.answer);
    const lines = (await duba(["lookupDataBundles", "provider=AIRTELDATA"])).out.split("\n");
    assert.equal(lines[0], "Data lookup successful");
    assert.match(lines[2]!, /^type +code +description +amount +price +value +duration$/);
    assert.match(lines[3]!, /^AIRTELDATA +002 +40MB 1Day +50 +50 +40MB +1Day$/);
  });

  test("duba call shows a record as lines", async () => {
    answers(named("verifyBvn").examples[0]!.answer);
    const { out } = await duba(["verifyBvn", "bvn=-", "phone=08000000017", "amount=100"], { stdin: bvn });
    assert.match(out, /^BVN Verification Completed Successfully\n\nrequest_reference +\w+\n/);
    assert.match(out, /\npersonal_info\n {2}first_name +FAISAL\n/);
  });

  test("duba call shows a failure on standard error, with the facts that help to mend it", async () => {
    const fields = [{ field: "provider", message: "provider must not be empty." }];
    fails(new Failure("validation_failed", "1 parameter is wrong.", { fields }));
    const { exitCode, out, err } = await duba(["lookupDataBundles", "provider="]);
    assert.deepEqual({ exitCode, out }, { exitCode: 1, out: "" });
    assert.match(err, /^1 parameter is wrong\.\n\ncode +validation_failed\nstatus +422\n/);
    assert.match(err, /\nfields\n {2}provider +provider must not be empty\.\n/);
    assert.ok(err.includes(`${url}/docs/errors#validation_failed\n`));
  });

  test("duba call --json prints the response's bytes unchanged, failures included", async () => {
    answers(named("listCorporateBundles").examples[0]!.answer);
    const good = await duba(["listCorporateBundles", "--json"]);
    assert.deepEqual(good, { exitCode: 0, out: `${answer.body}\n`, err: "" });
    fails(new Failure("rate_limited"));
    const bad = await duba(["listCorporateBundles", "--json"]);
    assert.deepEqual(bad, { exitCode: 1, out: `${answer.body}\n`, err: "" });
  });

  for (const [problem, argv, sentence] of [
    ["an operation", ["lookupDataBundle"], /Did you mean lookupDataBundles\?/],
    [
      "a member",
      ["fetchTvAddOns", "productcod=X"],
      /^fetchTvAddOns has no member productcod\. Did you mean productCode\?/,
    ],
    ["a member far from any", ["fetchTvAddOns", "zzzzzzzzzzzz=X"], /Its members: type, productCode\./],
    ["a member of an operation without", ["fetchDataProviders", "type=X"], /has no member type\. It has no members\./],
  ] as const) {
    test(`duba call refuses ${problem} that it does not know, naming what is near`, async () => {
      const { exitCode, out, err } = await duba(argv);
      assert.deepEqual({ exitCode, out }, { exitCode: 2, out: "" });
      assert.match(err, sentence);
      assert.match(err, /\nSee: duba call .*--help\n$/);
      assert.equal(seen.length, 0);
    });
  }

  test("duba call refuses a member that is given twice", async () => {
    assert.match((await duba(["lookupDataBundles", "type=A", "type=B"])).err, /^The member type appears twice\./);
  });

  test("duba call repeats no BVN in any error", async () => {
    answers({ success: false, message: `No person has ${bvn}.`, error: { code: "bvn_not_found", bvn } }, 404);
    const rest = ["phone=08000000017", "amount=100"];
    for (const argv of [
      ["verifyBvn", bvn, ...rest],
      ["verifyBvn", `${bvn}=bvn`, ...rest],
      ["verifyBvn", `bvn:${bvn}`, ...rest],
      ["verifyBvn", `--bvn=${bvn}`, ...rest],
      ["verifyBvn", `bvn=${bvn}`, `bvn=${bvn}`],
      ["verifyBvn", `bvn=${bvn}`, ...rest],
      ["verifyBvn", `bvn=220 0000 0017`, ...rest],
      ["verifyBvn", `bvn=${bvn}`, ...rest, "--url", "http://127.0.0.1:1"],
      [bvn],
    ]) {
      const { exitCode, out, err } = await duba(argv);
      assert.ok(exitCode > 0 && err !== "", argv.join(" "));
      assert.ok(!(out + err).includes(bvn), err);
    }
  });

  test("duba call repeats no key in an error", async () => {
    for (const environment of [{ DUBA_API_KEY: "duba_live_käy" }, { DUBA_URL: `http://u:${key}@127.0.0.1:1` }]) {
      const { exitCode, err } = await duba(["fetchDataProviders"], { environment });
      assert.ok(exitCode > 0);
      assert.doesNotMatch(err, /käy|duba_test/);
    }
  });

  test("duba call warns in its help of a BVN on the command line", async () => {
    const words = (await duba(["verifyBvn", "--help"])).out.replace(/\s+/g, " ");
    assert.match(words, /A BVN on a command line is visible to other users .* Write bvn=- instead\./);
  });

  test("duba call says what to do when nothing listens", async () => {
    const idle = createServer().listen(0, "127.0.0.1");
    await once(idle, "listening");
    const origin = `http://127.0.0.1:${(idle.address() as AddressInfo).port}`;
    idle.close();
    await once(idle, "close");
    const { exitCode, err } = await duba(["fetchDataProviders", "--url", origin]);
    assert.equal(exitCode, 1);
    assert.equal(
      err,
      `No service listens at ${origin}. Start it with \`duba serve\`, or choose another address with --url.\n`,
    );
  });

  test("duba call reports an answer that is not from a Duba", async () => {
    answer = { status: 200, body: "<html>" };
    const { exitCode, err } = await duba(["fetchDataProviders", "--json"]);
    assert.equal(exitCode, 1);
    assert.match(err, /^The response \(HTTP 200\) is not a JSON object/);
  });

  test("duba call refuses a malformed URL, from an option or a setting", async () => {
    assert.match((await duba(["fetchDataProviders", "--url", "here"])).err, /must be an http:\/\/ or https:\/\/ URL/);
    const { exitCode, err } = await duba(["fetchDataProviders"], { environment: { DUBA_URL: "here" } });
    assert.equal(exitCode, 2);
    assert.match(err, /^DUBA_URL must be/);
  });
});
