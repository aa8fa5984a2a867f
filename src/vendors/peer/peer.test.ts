import assert from "node:assert/strict";
import { test } from "node:test";
import { toIdentityRecord } from "../../checks/loose-record.ts";
import type { CheckKind } from "../../declare/check-kind.ts";
import { failures } from "../../declare/failures.ts";
import { RecordedLog } from "../../runtime/recorded-log.fixture.ts";
import { type Behaviour, json, LocalVendor, type Received } from "../local-vendor.fixture.ts";
import type { IdentityAttempt, IdentityOutcome } from "../ports/identity-upstream.ts";
import { badResponse, negative, type OutcomeWord, outcomeWord, unavailable } from "../ports/outcomes.ts";
import { VendorClient } from "../vendor-client.ts";
import { testVendor } from "../vendor-conformance.fixture.ts";
import authorized from "./fixtures/authorized.json" with { type: "json" };
import notFound from "./fixtures/not-found.json" with { type: "json" };
import verified from "./fixtures/verified.json" with { type: "json" };
import { peer } from "./index.ts";
import { failureIn } from "./wire.ts";

const { request_reference: reference, ...record } = verified.data;
const ofNin = { bvn_number: "", nin: "30000000017", service_type: "NIN Verification without Image" };
const nested = (code: string, more: object = {}) => ({ success: false, status: "failed", error: { code, ...more } });
const serverError: IdentityOutcome = { state: "unknown", reason: "server_error" };

const assertRequestOf =
  (kind: CheckKind) =>
  ({ method, path, headers, body }: Received, { number }: IdentityAttempt) => {
    assert.equal(`${method} ${path}`, `POST /api/v2/kyc/verify-${kind}`);
    assert.equal(headers.authorization, "Bearer duba_at_invented");
    assert.equal(headers["idempotency-key"], "abcdef000000001");
    assert.equal(headers["consent-reference"], undefined);
    assert.deepEqual(JSON.parse(body), { [kind]: number, phone: "08000000017", amount: "100" });
  };

testVendor({
  vendor: peer,
  hasCodes: true,
  values: (url) => ({ url, email: "shop@example.com", key: "duba_live_of_ours", amount: "bvn=100,nin=100" }),
  prelude({ path, body }) {
    if (path !== "/api/v2/merchant/authorization") return undefined;
    assert.deepEqual(JSON.parse(body), { email: "shop@example.com", password: "duba_live_of_ours" });
    return authorized;
  },
  checks: {
    bvn: {
      assertRequest: assertRequestOf("bvn"),
      good: { body: verified, record, facts: { reference } },
      notFound: { status: 404, body: notFound, facts: { reference, billed: "no" } },
      blocked: { status: 422, body: nested("bvn_blocked", { charged: false }), facts: { billed: "no" } },
    },
    nin: {
      assertRequest: assertRequestOf("nin"),
      good: {
        body: { ...verified, data: { ...verified.data, ...ofNin } },
        record: { ...record, ...ofNin },
        facts: { reference },
      },
      notFound: { status: 404, body: nested("nin_not_found", { charged: true }) },
      blocked: { status: 422, body: nested("nin_blocked"), facts: { billed: "unknown" } },
    },
  },
  answers: {
    "a record without a home, whose success is a text": [
      200,
      { ...verified, success: "true", error: null, data: { ...verified.data, residential_info: null } },
      {
        state: "verified",
        record: {
          ...record,
          residential_info: { state_of_residence: "", lga_of_residence: "", residential_address: "" },
        },
        reference,
      },
    ],
    "a failure whose success is a text": [
      200,
      { success: "false", code: "bvn_not_found" },
      { ...negative("not_found"), billed: "unknown" },
    ],
    "a flat failure with 200": [
      200,
      { success: false, code: "bvn_not_found", message: "…" },
      { ...negative("not_found"), billed: "unknown" },
    ],
    "a flat failure": [
      422,
      { status: "failed", code: "phone_mismatch", message: "…" },
      { ...negative("phone_mismatch"), billed: "unknown" },
    ],
    "a flat failure in the word of version 0.1": [
      422,
      { status: "error", code: "phone_mismatch", message: "…" },
      { ...negative("phone_mismatch"), billed: "unknown" },
    ],
    "a failure with 200 that says nothing": [200, { success: false, message: "…" }, badResponse("failure")],
    "a 404 in the envelope without a code": [
      404,
      { success: false, message: "…" },
      { ...negative("not_found"), billed: "unknown" },
    ],
    "a 404 of another program": [404, { detail: "Not Found" }, badResponse("status")],
    "a 422 of another program": [422, { message: "…" }, unavailable("refused")],
    "a record with a failure's status": [502, verified, { ...serverError, reference }],
    "a 502 of a proxy": [502, { message: "…" }, serverError],
    "a 503 of a proxy": [503, { message: "…" }, serverError],
    "a 503 that says that no work was done": [
      503,
      nested("upstream_unavailable", { retryable: true }),
      unavailable("out_of_service"),
    ],
    "a 503 that no retry cures": [
      503,
      nested("upstream_unavailable", { retryable: false }),
      { state: "failed", reason: "out_of_service", lasting: true },
    ],
    "a record without a name": [
      200,
      { ...verified, data: { ...verified.data, personal_info: {} } },
      { ...badResponse("shape"), reference },
    ],
  },
  secrets: ["shop@example.com", "duba_live_of_ours", "duba_at_invented", "FAISAL"],
});

test('a failure of another Duba means "no work done" only if its code says so', () => {
  const wordOf = (code: string) =>
    outcomeWord(failureIn(failures[code as "bvn_not_found"].status, nested(code), "bvn")!);
  const codes = (word: OutcomeWord) => Object.keys(failures).filter((code) => wordOf(code) === word);
  assert.deepEqual(codes("negative"), [
    ...["bvn_not_found", "nin_not_found", "bvn_blocked", "nin_blocked", "phone_mismatch", "verification_failed"],
  ]);
  assert.deepEqual(codes("bad_response"), ["upstream_bad_response"]);
  assert.deepEqual(codes("unknown"), [
    "request_in_progress",
    "record_no_longer_held",
    "idempotency_key_reused",
    "internal_error",
    "upstream_timeout",
  ]);
  assert.deepEqual(codes("verified"), []);
});

test("a peer verifies only the kinds whose amounts are set, and unknown kinds are refused", async (t) => {
  const { amount } = peer.settings as { amount: (typeof peer.settings)[string] };
  for (const odd of ["", "bvn=", "bvn=100,vin=100", "bvn=100,nin", "nin=-1"])
    assert.equal(amount.read(odd), undefined, odd);
  for (const [text, kinds] of [
    ["100", ["bvn", "nin"]],
    ["nin=100, bvn=50", ["bvn", "nin"]],
    ["bvn=100", ["bvn"]],
  ] as const) {
    assert.equal(amount.read(text), text);
    const values = { url: "http://127.0.0.1:9", email: "shop@example.com", key: "duba_live_of_ours", amount: text };
    const log = new RecordedLog();
    const http = new VendorClient({ timeout: 5000, connections: 1, keepAlive: false, log });
    t.after(() => http.close());
    assert.deepEqual((await peer.open(values, { http, log })).kinds, kinds);
  }
});

test("a lost look-up counts against a peer, and a look-up whose answer settles nothing does not", async (t) => {
  const local = await LocalVendor.start();
  const log = new RecordedLog();
  const http = new VendorClient({ timeout: 5000, connections: 1, keepAlive: false, log });
  t.after(async () => {
    await http.close();
    await local.close();
  });
  const upstream = await peer.open(
    { url: local.url, email: "shop@example.com", key: "duba_live_of_ours", amount: "100" },
    { http, log },
  );
  const lookUp = async (behaviour: Behaviour) => {
    local.behaviour = (response, received) =>
      (received.path.endsWith("/authorization") ? json(200, authorized) : behaviour)(response, received);
    return upstream.lookUp!({ reference: "abcdef000000001", signal: t.signal });
  };
  const unclear = { state: "unknown", reason: "unclear" };
  for (const state of ["verified", "started", "unknown"])
    assert.deepEqual(await lookUp(json(200, { success: true, data: { state, charged: true } })), unclear);
  assert.deepEqual(await lookUp(json(429, nested("rate_limited"))), unclear);
  assert.deepEqual(await lookUp(json(503, nested("shutting_down"))), serverError);
  assert.deepEqual(await lookUp((response) => void response.socket!.destroy()), {
    state: "unknown",
    reason: "connection_lost",
  });
});

test("a peer that does not offer NINs counts as refusing them, without an alarm that would stop BVNs", () => {
  for (const code of ["route_not_found", "upstream_not_configured", "amount_mismatch"] as const)
    assert.deepEqual(failureIn(failures[code].status, nested(code), "nin"), unavailable("refused"));
  assert.deepEqual(failureIn(404, { success: false, message: "…" }, "nin"), {
    state: "failed",
    reason: "status",
  });
  assert.deepEqual(failureIn(404, nested("nin_not_found"), "nin"), { state: "negative", reason: "not_found" });
});

test("only a failure that concerns every attempt raises an alarm", () => {
  const alarms = ["no_money", "bad_credentials", "bad_settings"];
  const alarming = Object.keys(failures).filter((code) => {
    const outcome = failureIn(500, nested(code), "bvn")!;
    return outcome.state === "failed" && alarms.includes(outcome.reason);
  });
  for (const code of ["validation_failed", "subject_rate_limited", "invalid_idempotency_key", "rate_limited"])
    assert.ok(!alarming.includes(code), code);
  for (const code of ["amount_mismatch", "consent_required", "invalid_credentials", "route_not_found"])
    assert.ok(alarming.includes(code), code);
});

test("a test key of another Duba is refused at the start: live keys must not reach invented people", () => {
  const { read } = peer.settings.key!;
  assert.equal(read("duba_live_of_ours"), "duba_live_of_ours");
  assert.equal(read("duba_test_of_ours"), undefined);
});

test("a member missing in the peer's record becomes null where allowed, else empty", () => {
  const least = toIdentityRecord(
    "bvn",
    {
      bvn_number: "22000000017",
      verification_status: "VERIFIED",
      watchlisted: true,
      personal_info: { first_name: "FAISAL", last_name: "IBEKWE", date_of_birth: "1995-11-20" },
    },
    "peer",
    new RecordedLog(),
  );
  assert.deepEqual(least, {
    ...record,
    name_on_card: "",
    enrolment_branch: "",
    enrolment_bank: "",
    level_of_account: "",
    watchlisted: "YES",
    personal_info: {
      first_name: "FAISAL",
      middle_name: "",
      last_name: "IBEKWE",
      full_name: "FAISAL IBEKWE",
      email: "",
      gender: "",
      phone_number: "",
      phone_number_2: null,
      date_of_birth: "20-Nov-1995",
      formatted_date_of_birth: "November 20, 1995",
      lga_of_origin: "",
      state_of_origin: "",
      nationality: "",
      marital_status: "",
    },
    residential_info: { state_of_residence: "", lga_of_residence: "", residential_address: "" },
  });
});
