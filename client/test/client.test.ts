import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { suite, test } from "node:test";
import { inspect } from "node:util";
import { scopes } from "../../src/declare/operation.ts";
import { everyOperation } from "../../src/wire/every-operation.ts";
import { type Fault, FaultyProxy } from "../../test/support/faulty-proxy.ts";
import { sandboxKey, suiteService } from "../../test/support/service.ts";
import { until } from "../../test/support/until.ts";
import { type AddEventEndpointAnswer, Duba, type Options } from "../src/duba.ts";
import type { AnswerFacts } from "../src/options.ts";
import type { ClientFailure } from "../src/outcome.ts";

/** Numbers that only one test verifies. */
let numbers = 22_100_001_000;
const person = () => {
  numbers += 1;
  return { bvn: String(numbers), phone: "08000000017", amount: "100" };
};
/** The faults in a test of pairs; test/gateway-faults.test.ts has every fault. */
const faults: readonly Fault[] = ["refused", "cut", "lost", "half", "held", "late", "502 HTML"];
const verify = "/api/v2/kyc/verify-bvn";
const stateOf = "/api/v2/kyc/verifications";

suite("the client", { concurrency: true }, () => {
  const service = suiteService({
    DUBA_LIMIT_ANONYMOUS: "1/s",
    DUBA_LIMIT_VERIFICATION: "9999/min",
    DUBA_LIMIT_IN_FLIGHT: "999",
  });

  /** A client that reaches the service through a proxy. */
  const through = ({ url }: { url: string }, options: Partial<Options> = {}) =>
    new Duba({ url, key: sandboxKey, backoff: 4, ...options });

  test("the client has a method for each operation, and each returns its answer", async () => {
    const { text: key } = await service.newKey({ scopes });
    const duba = new Duba({ url: `${service.url}/`, key });
    const idempotencyKey = "every-method";
    const verified = await duba.verifyBvn(person(), { idempotencyKey });
    assert.ok(verified.success);
    const refused = await duba.lookupDataBundles({ provider: "FOODATA" });
    assert.ok(!refused.success);
    const known: Record<string, string> = {
      request_reference: verified.data.request_reference,
      idempotency_key: idempotencyKey,
      request_id: refused.error.request_id,
      email: "sandbox@example.com",
      password: sandboxKey,
    };
    for (const { id, examples, input } of everyOperation) {
      const members = Object.entries(examples[0]!.input ?? {}).map(([name, value]) => [name, known[name] ?? value]);
      const method = (duba as unknown as Record<string, (...words: object[]) => Promise<object>>)[id]!.bind(duba);
      const hasInput = Object.keys(input.properties).length > 0;
      const answer = await (hasInput ? method(Object.fromEntries(members)) : method());
      assert.partialDeepStrictEqual(answer, { success: true }, id);
      if (id === "addEventEndpoint") known.id = (answer as AddEventEndpointAnswer).data.id;
    }
  });

  test("the client returns a failure of the service unchanged, with its HTTP status", async () => {
    const duba = new Duba({ url: service.url, key: sandboxKey });
    const unknown = await duba.lookupDataBundles({ provider: "FOODATA" });
    assert.ok(!unknown.success);
    assert.equal(unknown.error.code, "provider_not_found");
    assert.equal(unknown.error.http_status, 404);
    assert.match(unknown.message, /FOODATA/);
    const invalid = await duba.verifyBvn({ bvn: "1", phone: "2", amount: "100" });
    assert.ok(!invalid.success);
    assert.deepEqual(
      invalid.error.fields?.map(({ field }) => field),
      ["bvn", "phone"],
    );
    const stranger = await new Duba({ url: service.url, key: "duba_test_wrong" }).listCorporateBundles();
    assert.equal(!stranger.success && stranger.error.code, "invalid_credentials");
  });

  test("the client does not repeat a request that cannot succeed", async () => {
    for (const [bvn, code] of [
      ["00000000001", "bvn_not_found"],
      ["00000000002", "phone_mismatch"],
      ["1", "validation_failed"],
    ]) {
      await using proxy = await FaultyProxy.open(service.url);
      const answer = await through(proxy).verifyBvn({ ...person(), bvn: bvn! });
      assert.equal(!answer.success && answer.error.code, code);
      assert.equal(proxy.passed.length, 1);
    }
  });

  test("the client repeats a retryable request with the same key, until it gives up", async () => {
    await using proxy = await FaultyProxy.open(service.url);
    const answer = await through(proxy, { retries: 2 }).verifyBvn({ ...person(), bvn: "00000000007" });
    assert.ok(!answer.success);
    assert.equal(answer.error.code, "upstream_bad_response");
    assert.deepEqual(
      proxy.passed.map(({ status }) => status),
      [502, 502, 502],
    );
    assert.deepEqual([...new Set(proxy.passed.map(({ key }) => key))], [answer.error.idempotency_key]);
  });

  test("the client waits as long as Retry-After says, unless that is longer than its longest wait", async () => {
    await using proxy = await FaultyProxy.open(service.url);
    const anonymous = new Duba({ url: proxy.url, backoff: 4 });
    const begun = performance.now();
    const asked = [1, 2, 3].map(() => anonymous.lookupDataBundles({ provider: "MTNDATA" }));
    for (const answer of await Promise.all(asked)) assert.ok(answer.success);
    assert.ok(proxy.passed.some(({ status }) => status === 429));
    assert.ok(performance.now() - begun > 1000);
    await using other = await FaultyProxy.open(service.url);
    const limited = await through(other).verifyBvn({ ...person(), bvn: "00000000009" });
    assert.ok(!limited.success);
    assert.deepEqual([limited.error.code, limited.error.retry_after], ["subject_rate_limited", 3600]);
    assert.equal(other.passed.length, 1);
  });

  test("the client caches lists, and asks whether they have changed", async () => {
    await using proxy = await FaultyProxy.open(service.url);
    const duba = through(proxy);
    const first = await duba.fetchDataProviders();
    assert.ok(first.success);
    const kept = structuredClone(first);
    first.billers.length = 0;
    assert.deepEqual(await duba.fetchDataProviders(), kept);
    await duba.lookupDataBundles({ provider: "GLODATA" });
    const uncached = through(proxy, { cache: 0 });
    await uncached.fetchDataProviders();
    assert.deepEqual(await uncached.fetchDataProviders(), kept);
    assert.deepEqual(
      proxy.passed.map(({ status }) => status),
      [200, 304, 200, 200, 200],
    );
  });

  test(`the client repeats a look-up after each of ${faults.length} faults`, async () => {
    for (const fault of faults) {
      await using proxy = await FaultyProxy.open(service.url, [fault]);
      const answer = await through(proxy, { timeout: 4000 }).lookupDataBundles({ provider: "MTNDATA" });
      assert.ok(answer.success, `${fault}: ${JSON.stringify(answer)}`);
      assert.equal(proxy.passed.length, 2, fault);
    }
  });

  test("the client does not repeat an exchange of credentials whose answer was lost", async () => {
    await using proxy = await FaultyProxy.open(service.url, ["lost"]);
    const answer = await through(proxy).authorizeMerchant({ email: "sandbox@example.com", password: sandboxKey });
    assert.equal(!answer.success && answer.error.code, "no_answer");
    assert.equal(proxy.passed.length, 1);
  });

  test("the client does not repeat a removal whose answer was lost", async () => {
    const { text: key } = await service.newKey({ scopes });
    const added = await new Duba({ url: service.url, key }).addEventEndpoint({ url: "https://shop.example.com/lost" });
    assert.ok(added.success);
    await using proxy = await FaultyProxy.open(service.url, ["lost"]);
    const answer = await through(proxy, { key }).removeEventEndpoint({ id: added.data.id });
    assert.equal(!answer.success && answer.error.code, "no_answer");
    assert.equal(proxy.passed.length, 1);
  });

  const sequences = (["none", ...faults] as (Fault | "none")[]).flatMap((one) =>
    faults.map((two) => [one, two] as const),
  );
  test(`a verification is made once and charged once under ${sequences.length} sequences of faults`, async () => {
    const { db } = await service.store();
    const outcomes: { reference: string; bvn: string }[] = [];
    const waiting = [...sequences];
    // If all were sent at once, some requests would get their response after their time-out on a busy machine.
    const verifySome = async () => {
      for (let sequence = waiting.shift(); sequence !== undefined; sequence = waiting.shift()) {
        await using proxy = await FaultyProxy.open(service.url, [...sequence, ...sequence]);
        const answer = await through(proxy, { retries: 9, timeout: 1500 }).verifyBvn(person());
        assert.ok(answer.success, `${sequence}: ${JSON.stringify(answer)}`);
        const keys = new Set(proxy.passed.map(({ key }) => key));
        assert.equal(keys.size, 1, `${sequence}`);
        const asked = proxy.passed.map(({ method, path }) => `${method} ${path}`);
        for (const each of asked) assert.ok([`POST ${verify}`, `GET ${stateOf}`].includes(each), each);
        outcomes.push({ reference: answer.data.request_reference, bvn: answer.data.bvn_number });
      }
    };
    await Promise.all(Array.from({ length: 14 }, verifySome));
    const references = outcomes.map(({ reference }) => reference);
    assert.equal(new Set(references).size, sequences.length);
    for (const { bvn, reference } of outcomes) {
      const rows = await db
        .selectFrom("verification")
        .leftJoin("verification_attempt as attempt", "attempt.reference", "verification.reference")
        .select(["verification.reference", "verification.charged", "attempt.outcome"])
        .where("subject_last4", "=", bvn.slice(-4))
        .execute();
      assert.deepEqual(rows, [{ reference, charged: 1, outcome: "verified" }]);
    }
  });

  test("the client waits for a verification that still runs, and does not send it again meanwhile", async () => {
    await using proxy = await FaultyProxy.open(service.url, ["cut"]);
    const answer = await through(proxy).verifyBvn({ ...person(), bvn: "00000000008" });
    assert.ok(answer.success, JSON.stringify(answer));
    const sent = proxy.passed.map(({ method }) => method);
    // There is one more POST if the client asked for the state before the service had stored the verification.
    const posts = sent.filter((method) => method === "POST").length;
    assert.ok(posts === 2 || posts === 3, sent.join(" "));
    assert.equal(sent.at(-1), "POST");
    assert.ok(sent.length > posts + 1, "it asks for the state meanwhile");
    const { db } = await service.store();
    const attempts = await db
      .selectFrom("verification_attempt")
      .select("number")
      .where("reference", "=", answer.data.request_reference)
      .execute();
    assert.deepEqual(attempts, [{ number: 1 }]);
  });

  test("the client measures its waits with a monotonic clock", async (t) => {
    await using proxy = await FaultyProxy.open(service.url, ["cut"]);
    const script = `let hours = 0; Date.now = () => (hours += 3_600_000);
      const { Duba } = await import(${JSON.stringify(import.meta.resolve("../src/duba.ts"))});
      const duba = new Duba({ url: "${proxy.url}", key: "${sandboxKey}", backoff: 4 });
      const person = { bvn: "00000000008", phone: "08000000018", amount: "100" };
      console.log((await duba.verifyBvn(person)).success);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    t.after(() => child.kill());
    assert.equal(await text(child.stdout), "true\n");
    const posts = proxy.passed.filter(({ method }) => method === "POST").length;
    assert.ok(posts === 2 || posts === 3, `${posts} times`);
  });

  test("an aborted call reports the idempotency key to continue with", async () => {
    await using proxy = await FaultyProxy.open(service.url, ["held"]);
    const duba = through(proxy);
    const mine = person();
    const caller = new AbortController();
    const ending = duba.verifyBvn(mine, { signal: caller.signal });
    await until(() => proxy.passed.some(({ status }) => status === 200));
    caller.abort();
    const ended = await ending;
    assert.ok(!ended.success);
    assert.equal(ended.error.code, "aborted");
    assert.equal(proxy.passed.length, 1);
    const idempotencyKey = ended.error.idempotency_key!;
    const again = await duba.verifyBvn(mine, { idempotencyKey });
    assert.ok(again.success);
    const state = await duba.findVerification({ idempotency_key: idempotencyKey });
    assert.partialDeepStrictEqual(state, {
      data: { request_reference: again.data.request_reference, charged: true, attempts: 1 },
    });
    const before = await duba.verifyBvn(mine, { signal: AbortSignal.abort() });
    assert.equal(!before.success && before.error.code, "aborted");
  });

  test("the client distinguishes a missing response from a response that is not Duba's", async () => {
    await using proxy = await FaultyProxy.open(service.url, ["502 HTML", "refused"]);
    const duba = through(proxy, { retries: 0 });
    const codes = [await duba.listCorporateBundles(), await duba.listCorporateBundles()].map(
      (answer) => !answer.success && [answer.error.code, answer.error.http_status, answer.error.retryable],
    );
    assert.deepEqual(codes, [
      ["unexpected_answer", 502, true],
      ["no_answer", 0, true],
    ]);
    const elsewhere = await new Duba({
      url: `${service.url}/docs`,
      key: sandboxKey,
      retries: 0,
    }).listCorporateBundles();
    assert.equal(!elsewhere.success && elsewhere.error.code, "route_not_found");
  });

  test("a logged failure shows neither the key nor personal data", async () => {
    const told: AnswerFacts[] = [];
    await using proxy = await FaultyProxy.open(service.url, ["502 HTML"]);
    const duba = through(proxy, {
      onAnswer(facts) {
        told.push(facts);
        throw new Error("a log that is full");
      },
    });
    const mine = person();
    assert.ok((await duba.verifyBvn(mine)).success);
    assert.deepEqual(
      told.map(({ operation, status }) => [operation, status]),
      [
        ["verifyBvn", 502],
        ["verifyBvn", 200],
        ["verifyBvn", 200],
      ],
    );
    const failed = (await duba.verifyBvn({ ...mine, bvn: "00000000001" })) as ClientFailure;
    assert.doesNotMatch(
      inspect([told, duba, failed], { depth: 9 }),
      new RegExp(`${sandboxKey}|${mine.bvn}|8000000017`),
    );
  });
});
