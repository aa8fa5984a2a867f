import assert from "node:assert/strict";
import { mock, suite, test } from "node:test";
import { ReadyForm, type ReadyResponse } from "../src/declare/answers/ready-response.ts";
import type { BoundOperation } from "../src/declare/operation.ts";
import { rehearsable } from "../src/http/rehearsal/rehearsable.ts";
import { scenarioHeader, scenarioRows, scenarios } from "../src/http/rehearsal/scenarios.ts";
import { everyOperation } from "../src/wire/every-operation.ts";
import { assertFailure } from "./support/failure.ts";
import { type ServiceResponse, suiteService } from "./support/service.ts";

const lookUps = everyOperation.filter(({ scope }) => scope === "catalogue:read");
const bundles = "/api/v2/internet/data/lookup?provider=MTNDATA";

suite("the scenarios of look-ups", { concurrency: true }, () => {
  const service = suiteService({ DUBA_LIMITS: "off" });

  const pathOf = ({ path, examples }: (typeof lookUps)[number]) => {
    const query = new URLSearchParams(examples[0]?.input).toString();
    return query ? `${path}?${query}` : path;
  };
  const rehearse = (path: string, scenario: string, headers = {}): Promise<ServiceResponse> =>
    service.ask(path, { headers: { [scenarioHeader]: scenario, ...headers } });

  /** The part of a response that a scenario needs to change the response. */
  const changedPart: Record<string, RegExp> = { empty: /\[\{/, "price-change": /"price"/ };

  for (const { scenario, result } of scenarioRows()) {
    // The scenario with a delay has its own test, which plays the clock.
    if (scenarios[scenario]!.delay) continue;
    test(`with the scenario ${scenario}, every look-up that it affects gives ${result}`, async () => {
      for (const operation of lookUps) {
        const path = pathOf(operation);
        const changed = changedPart[scenario];
        if (changed && !changed.test((await service.ask(path)).text)) {
          assertFailure(await rehearse(path, scenario), 400, "malformed_request", { path: operation.path });
          continue;
        }
        const response = await rehearse(path, scenario);
        const [status, code] = result.split(" ");
        assert.equal(response.status, Number(status), `${operation.id} ${response.text}`);
        assert.equal(response.headers["duba-scenario"], scenario);
        if (code) {
          assertFailure(response, Number(status), code as never, { path: operation.path });
          assert.match(response.json.message, new RegExp(` Rehearsed: the request has Duba-Scenario: ${scenario}\\.$`));
        } else assert.equal(response.json.success, true);
      }
    });
  }

  test("the scenario of a stale list marks the list as stale, with unchanged content", async () => {
    const usual = await service.ask(bundles);
    assert.equal(usual.headers["duba-catalogue-stale"], undefined);
    const stale = await rehearse(bundles, "stale");
    assert.equal(stale.headers["duba-catalogue-stale"], "true");
    const age = Date.now() - Date.parse(String(stale.headers["duba-catalogue-as-of"]));
    assert.ok(age > 47 * 3600_000 && age < 49 * 3600_000);
    assert.equal(stale.headers.etag, usual.headers.etag);
    assert.deepEqual(stale.json.data.data, usual.json.data.data);
    const compressed = await rehearse(bundles, "stale", { "Accept-Encoding": "gzip" });
    assert.deepEqual([compressed.headers["content-encoding"], compressed.status], ["gzip", 200]);
  });

  test("the scenario of an empty list answers a success without entries", async () => {
    const { json } = await rehearse(bundles, "empty");
    assert.deepEqual([json.data.status, json.data.error, json.data.data], [1, false, []]);
    const plans = await rehearse("/api/v2/cable-tv/fetch-billers?type=gotv", "empty");
    assert.deepEqual(plans.json, { success: true, plans: [] });
  });

  test("the scenario price-change gives new prices, even if the request has the old ETag or date", async () => {
    const usual = await service.ask(bundles);
    const { etag = "", "last-modified": modified = "" } = usual.headers;
    for (const headers of [{}, { "If-None-Match": etag }, { "If-Modified-Since": modified }]) {
      const dearer = await rehearse(bundles, "price-change", headers);
      assert.equal(dearer.status, 200);
      assert.notEqual(dearer.headers.etag, etag);
      assert.ok(Number(dearer.headers["duba-catalogue-revision"]) > Number(usual.headers["duba-catalogue-revision"]));
      for (const [at, bundle] of usual.json.data.data.entries())
        assert.deepEqual(dearer.json.data.data[at], { ...bundle, price: String(Number(bundle.price) + 10) });
      const again = { "If-None-Match": String(dearer.headers.etag) };
      assert.equal((await rehearse(bundles, "price-change", again)).status, 304);
    }
  });

  test("the scenario 429 states the wait in Retry-After, and the scenario 503 closes the connection", async () => {
    assert.equal((await rehearse(bundles, "429")).headers["retry-after"], "2");
    assert.equal((await rehearse(bundles, "503")).headers.connection, "close");
  });

  test("an unknown scenario is refused with the names of all scenarios", async () => {
    for (const wrong of ["", "constructor", "stale, empty", "STALE"]) {
      const response = await rehearse(bundles, wrong);
      const { message } = assertFailure(response, 400, "malformed_request", { path: "/api/v2/internet/data/lookup" });
      for (const { scenario } of scenarioRows()) assert.ok(message.includes(scenario));
      assert.ok(!message.includes("constructor"));
    }
  });

  test("a scenario is refused where it changes nothing: lists without prices, and other operations", async () => {
    const changesNothing = /^Duba-Scenario.* changes nothing.* Leave the header out\.$/;
    const providers = await rehearse("/api/v2/internet/data/fetch-providers", "price-change");
    assert.match(
      assertFailure(providers, 400, "malformed_request", { path: "/api/v2/internet/data/fetch-providers" }).message,
      changesNothing,
    );
    const body = { bvn: "22000000017", phone: "08000000017", amount: "100" };
    const headers = { [scenarioHeader]: "503" };
    const path = "/api/v2/kyc/verify-bvn";
    const verified = await service.ask(path, { method: "POST", body, headers });
    assert.match(assertFailure(verified, 400, "malformed_request", { path }).message, changesNothing);
    assert.equal((await service.ask("/api/v2/kyc/verifications", { headers })).status, 400);
  });

  test("the scenario header has no effect for a live key or an anonymous caller", async () => {
    const { text: live } = await service.newKey({ mode: "live" });
    const usual = (await service.ask(bundles)).json.data.data;
    for (const scenario of [...Object.keys(scenarios), "nonsense"])
      for (const credential of [live, false] as const) {
        const response = await service.ask(bundles, { credential, headers: { [scenarioHeader]: scenario } });
        assert.equal(response.status, 200);
        assert.deepEqual(response.json.data.data, usual);
        for (const name of ["duba-scenario", "duba-catalogue-stale"]) assert.equal(response.headers[name], undefined);
      }
  });
});

test("the scenario of a slow look-up takes 5 s", async (t) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => mock.timers.reset());
  const body = Buffer.from('{"success":true}');
  const ready: ReadyResponse = { etag: 'W/"a"', modifiedAt: 0, form: () => new ReadyForm(body, ["Vary", "Accept"]) };
  for (const answering of [{ pick: () => ready }, { run: async () => ({ success: true }) }]) {
    const { pick, run, room } = rehearsable({
      ...lookUps[0],
      pick: undefined,
      ...answering,
    } as unknown as BoundOperation);
    const call = { caller: { mode: "test" }, headers: { "duba-scenario": "slow" } } as never;
    const slow = Promise.resolve(pick ? pick(call, room, "").form("identity", false) : run!(call, room));
    const first = () => Promise.race([slow, new Promise((resolve) => setImmediate(resolve, "waiting"))]);
    mock.timers.tick(4_999);
    assert.equal(await first(), "waiting");
    mock.timers.tick(1);
    assert.notEqual(await first(), "waiting");
  }
});
