import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { attempt } from "../conformance.fixture.ts";
import { type Behaviour, json, text } from "../local-vendor.fixture.ts";
import { notSentBecause, unavailable } from "../ports/outcomes.ts";
import { openVendor } from "../vendor-conformance.fixture.ts";
import verified from "./fixtures/verified.json" with { type: "json" };
import { peer } from "./index.ts";

const isAuthorization = ({ path }: { path: string }) => path === "/api/v2/merchant/authorization";
const expiry = (time: number) => new Date(time).toISOString().slice(0, 19).replace("T", " ");
const token = (access_token: string, expires_at = "2099-01-31 09:30:00") =>
  json(200, {
    success: true,
    data: { business_name: "Shop", token: { access_token, token_type: "Bearer", expires_at } },
  });

const values = (url: string) => ({
  url,
  email: "shop@example.com",
  key: "duba_live_of_ours",
  amount: "bvn=100,nin=100",
});

/** Opens a server that gives the tokens t1, t2, … */
async function open(t: TestContext, timeout = 5000) {
  const { upstream, local, log } = await openVendor(t, peer, values, { timeout });
  const server = {
    authorizations: 0,
    authorize: (n: number): Behaviour => token(`t${n}`),
    verify: json(200, verified) as Behaviour,
  };
  local.behaviour = (response, received) => {
    if (!isAuthorization(received)) return server.verify(response, received);
    server.authorizations += 1;
    server.authorize(server.authorizations)(response, received);
  };
  const ask = (changes = {}) => upstream.verify({ ...attempt, ...changes });
  const used = () =>
    local.received.filter((received) => !isAuthorization(received)).map(({ headers }) => headers.authorization);
  return { server, local, log, ask, used };
}

test("a token is reused for later attempts", async (t) => {
  const { server, ask, used } = await open(t);
  for (const _ of [1, 2, 3]) assert.equal((await ask()).state, "verified");
  assert.equal(server.authorizations, 1);
  assert.deepEqual(used(), ["Bearer t1", "Bearer t1", "Bearer t1"]);
});

test("a token is renewed before it expires", async (t) => {
  const { server, ask, used } = await open(t);
  server.authorize = (n) => token(`t${n}`, expiry(Date.now() + (n === 1 ? 30_000 : 120_000)));
  for (const _ of [1, 2, 3]) assert.equal((await ask()).state, "verified");
  assert.deepEqual(used(), ["Bearer t1", "Bearer t2", "Bearer t2"]);
});

test("concurrent attempts share one authorization", async (t) => {
  const { server, ask } = await open(t);
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => ask()));
  assert.ok(outcomes.every(({ state }) => state === "verified"));
  assert.equal(server.authorizations, 1);
});

test("after a 401 the attempt is sent once more, and all attempts share one new token", async (t) => {
  const { server, ask, used } = await open(t);
  await ask();
  server.verify = (response, received) =>
    json(received.headers.authorization === "Bearer t1" ? 401 : 200, verified)(response, received);
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => ask()));
  assert.ok(outcomes.every(({ state }) => state === "verified"));
  assert.equal(server.authorizations, 2);
  assert.equal(used().filter((header) => header === "Bearer t2").length, 10);
});

test("after a second 401 in a row the attempt fails with bad credentials", async (t) => {
  const { server, ask, used } = await open(t);
  server.verify = json(401, {});
  assert.deepEqual(await ask(), { ...unavailable("bad_credentials"), httpStatus: 401 });
  assert.deepEqual(used(), ["Bearer t1", "Bearer t2"]);
});

const refusals: [what: string, Behaviour, reason: Parameters<typeof unavailable>[0]][] = [
  ["401", json(401, {}), "bad_credentials"],
  ["403", json(403, {}), "bad_credentials"],
  ["422", json(422, {}), "bad_credentials"],
  ["a failure with 200", json(200, { success: false, message: "…" }), "bad_credentials"],
  ["402", json(402, {}), "no_money"],
  ["404", json(404, {}), "bad_settings"],
  ["429", json(429, {}), "rate_limited"],
  ["500", json(500, {}), "out_of_service"],
  ["HTML", text(200, "text/html", "<p>duba_live_of_ours</p>"), "out_of_service"],
  ["a redirect", json(302, {}, { Location: "/elsewhere" }), "out_of_service"],
  ["another shape", json(200, { success: true, data: { token: "t1" } }), "out_of_service"],
  ["a token that is no header", token("t1\r\nX: y"), "out_of_service"],
  ["an expiry in another form", token("t1", "tomorrow"), "out_of_service"],
  ["a reset", (response) => void response.socket!.resetAndDestroy(), "not_reached"],
];
for (const [what, behaviour, reason] of refusals) {
  test(`after an authorization answered with ${what}, the attempt is not sent, with the reason ${reason}`, async (t) => {
    const { server, ask, used, log } = await open(t);
    server.authorize = () => behaviour;
    assert.deepEqual(await ask(), notSentBecause(reason));
    assert.deepEqual(used(), []);
    assert.doesNotMatch(JSON.stringify(log.lines), /duba_live_of_ours|shop@example/);
    server.authorize = (n) => token(`t${n}`);
    assert.equal((await ask()).state, "verified");
  });
}

test("an authorization answered with 429 or 503 passes on the requested wait", async (t) => {
  for (const [status, reason] of [
    [429, "rate_limited"],
    [503, "out_of_service"],
  ] as const) {
    const { server, ask } = await open(t);
    server.authorize = () => json(status, {}, { "Retry-After": "60" });
    assert.deepEqual(await ask(), { ...notSentBecause(reason), retryAfter: 60 });
  }
});

test("an attempt that stops waiting for a token is not sent, and waiting attempts still get the token", async (t) => {
  const { server, local, ask, used } = await open(t);
  let grant = () => {};
  server.authorize = () => (response, received) => {
    grant = () => token("t1")(response, received);
  };
  const limit = new AbortController();
  const [left, patient] = [ask({ signal: limit.signal }), ask()];
  await local.asked(1);
  limit.abort();
  assert.deepEqual(await left, notSentBecause("not_reached"));
  grant();
  assert.equal((await patient).state, "verified");
  assert.equal(used().length, 1);
});

test("an authorization that is never answered ends with its time-out", async (t) => {
  const { server, ask } = await open(t, 100);
  server.authorize = () => () => {};
  assert.deepEqual(await ask(), notSentBecause("not_reached"));
});
