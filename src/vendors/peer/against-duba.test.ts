import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type SandboxVendor, startSandboxVendor } from "../../../test/support/sandbox-vendor.ts";
import { sandboxKey, startService, type TestService } from "../../../test/support/service.ts";
import { RecordedLog } from "../../runtime/recorded-log.fixture.ts";
import { attempt } from "../conformance.fixture.ts";
import type { IdentityUpstream } from "../ports/identity-upstream.ts";
import { negative, notSentBecause, unavailable } from "../ports/outcomes.ts";
import { sandbox } from "../sandbox/index.ts";
import { VendorClient } from "../vendor-client.ts";
import { peer as vendorPeer } from "./index.ts";

/** The other Duba is `peer`. Its live keys reach `vendor`, which answers as the sandbox does. */
let peer: TestService;
let vendor: SandboxVendor;
let key: string;
let upstream: IdentityUpstream;
const log = new RecordedLog();
const http = new VendorClient({ timeout: 10_000, connections: 4, keepAlive: false, log });
const values = () => ({ url: peer.url, email: "sandbox@example.com", key, amount: "bvn=100,nin=100" });
const open = (changes = {}) => vendorPeer.open({ ...values(), ...changes }, { http, log });

before(async () => {
  vendor = await startSandboxVendor();
  peer = await startService({
    DUBA_UPSTREAMS: "peer",
    DUBA_PEER_URL: vendor.url,
    DUBA_PEER_EMAIL: "shop@example.com",
    DUBA_PEER_KEY: "a-key-that-the-vendor-knows",
  });
  key = (await peer.newKey({ mode: "live" })).text;
  upstream = await open();
});
after(async () => {
  await http.close();
  await peer.close();
  vendor.close();
});

let references = 0;
/** Verifies, and drops the facts that differ in each response. */
const verify = async (asked: typeof attempt, source = upstream) => {
  const { reference: _, billed: __, httpStatus: ___, ...outcome } = await source.verify(asked);
  return outcome;
};
const ask = (number: string, source = upstream) => {
  references += 1;
  return verify({ ...attempt, number, reference: `abcdef${String(references).padStart(9, "0")}` }, source);
};

test("the record from another Duba equals the record of its source", async () => {
  const own = await sandbox().verify(attempt);
  assert.deepEqual(await ask(attempt.number), own);
});

test("another Duba verifies a NIN at its NIN fee, and does not treat the number as a BVN", async () => {
  const asked = { ...attempt, kind: "nin" as const, reference: "ninnin000000001" };
  assert.deepEqual(await verify(asked), await sandbox().verify(asked));
  const unknownNin = { ...asked, number: "00000000001", reference: "ninnin000000002" };
  assert.deepEqual(await verify(unknownNin), { state: "negative", reason: "not_found" });
});

test("another Duba returns the reference of its verification, even without a match", async () => {
  const { db } = await peer.store();
  for (const [nth, number] of [attempt.number, "00000000001", "00000000006"].entries()) {
    const { reference } = await upstream.verify({ ...attempt, number, reference: `naming00000000${nth}` });
    const found = db.selectFrom("verification").select("subject_last4").where("reference", "=", reference!);
    assert.equal((await found.executeTakeFirst())?.subject_last4, number.slice(-4));
  }
});

test("the outcomes of another Duba's sandbox numbers have the same meaning here", async () => {
  assert.equal((await ask("00000000003")).state, "verified");
  assert.equal((await ask("00000000004")).state, "verified");
  assert.deepEqual(await ask("00000000001"), { state: "negative", reason: "not_found" });
  assert.deepEqual(await ask("00000000002"), { state: "negative", reason: "phone_mismatch" });
  assert.deepEqual(await ask("00000000005"), { ...unavailable("out_of_service"), retryAfter: 5 });
  assert.deepEqual(await ask("00000000006"), { state: "unknown", reason: "unclear" });
  assert.deepEqual(await ask("00000000007"), { state: "failed", reason: "failure" });
});

test("another Duba's rate limit for one BVN raises no alarm", async () => {
  for (const _ of [1, 2, 3, 4, 5]) assert.equal((await ask("22000000209")).state, "verified");
  const { retryAfter, ...outcome } = (await ask("22000000209")) as { retryAfter?: number };
  assert.deepEqual(outcome, { state: "failed", reason: "refused" });
  assert.ok(retryAfter! > 3_500 && retryAfter! <= 3_600, `${retryAfter} s are left of the hour`);
});

test("a response of another Duba in test mode counts as no work done, because its people are invented", async () => {
  for (const bvn of [attempt.number, "00000000001", "00000000006"])
    assert.deepEqual(await ask(bvn, await open({ key: sandboxKey })), notSentBecause("bad_settings"));
  assert.ok(log.lines.some(({ level, message }) => level === "error" && /test mode/.test(message)));
});

test("another Duba reports that failures are not billed, and reports nothing for an unknown outcome", async () => {
  const billed = async (number: string, nth: number) =>
    (await upstream.verify({ ...attempt, number, reference: `billed00000000${nth}` })).billed;
  const numbers = [attempt.number, "00000000001", "00000000005", "00000000006"];
  assert.deepEqual(await Promise.all(numbers.map(billed)), [undefined, "no", "no", undefined]);
});

test("another Duba works once per reference, so a repeated attempt is free", async () => {
  assert.equal(upstream.repeatable, true);
  const { db } = await peer.store();
  const attempts = async () =>
    (await db.selectFrom("verification_attempt").select("reference").execute()).map(({ reference }) => reference);
  const before = await attempts();
  const again = { ...attempt, reference: "zzzzzz000000001" };
  const first = await upstream.verify(again);
  assert.equal(first.state, "verified");
  assert.deepEqual(await upstream.verify(again), first);
  assert.equal((await attempts()).length, before.length + 1);
});

test("a wrong key of another Duba is a bad credential, and a wrong address a bad setting", async () => {
  assert.deepEqual(
    await ask(attempt.number, await open({ key: "duba_live_nobody" })),
    notSentBecause("bad_credentials"),
  );
  assert.deepEqual(
    await ask(attempt.number, await open({ url: `${peer.url}/elsewhere` })),
    notSentBecause("bad_settings"),
  );
});

test("another Duba reports the outcome of an earlier attempt without a second charge", async () => {
  const earlier = async (number: string, reference: string) => {
    await upstream.verify({ ...attempt, number, reference });
    return upstream.lookUp!({ reference, signal: attempt.signal });
  };
  assert.deepEqual(await earlier("00000000001", "lookup000000001"), { ...negative("not_found"), billed: "no" });
  assert.deepEqual(await earlier("00000000002", "lookup000000002"), { ...negative("phone_mismatch"), billed: "no" });
  assert.deepEqual(await earlier("00000000005", "lookup000000005"), unavailable("not_done"));
  assert.deepEqual(await earlier("00000000006", "lookup000000006"), { state: "unknown", reason: "unclear" });
  // A repeated attempt returns the record.
  assert.deepEqual(await earlier(attempt.number, "lookup000000000"), { state: "unknown", reason: "unclear" });
  const never = { reference: "never0000000000", signal: attempt.signal };
  assert.deepEqual(await upstream.lookUp!(never), unavailable("not_done"));
  for (const changes of [{ key: sandboxKey }, { key: "duba_live_nobody" }, { url: `${peer.url}/elsewhere` }])
    assert.deepEqual(await (await open(changes)).lookUp!(never), { state: "unknown", reason: "unclear" });
});
