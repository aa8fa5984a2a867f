import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import bvnFile from "../../../stand-ins/korapay/samples/bvn.json" with { type: "json" };
import earlierFile from "../../../stand-ins/korapay/samples/earlier.json" with { type: "json" };
import ninFile from "../../../stand-ins/korapay/samples/nin.json" with { type: "json" };
import type { PersonRecord } from "../../declare/identity-record.ts";
import { attempt, publishedRecord, shortRecord } from "../conformance.fixture.ts";
import { type Behaviour, json, type Received } from "../local-vendor.fixture.ts";
import type { IdentityAttempt, IdentityOutcome } from "../ports/identity-upstream.ts";
import { badResponse, unavailable } from "../ports/outcomes.ts";
import { openVendor, testVendor } from "../vendor-conformance.fixture.ts";
import { korapay } from "./index.ts";

const { sample: bvn } = bvnFile;
const { sample: earlier } = earlierFile;
const { sample: nin } = ninFile;

const reference = bvn.data.reference;
const noRecord: IdentityOutcome = { state: "negative", reason: "not_found", billed: "unknown" };
const values = (url: string) => ({ url, key: "sk_live_of_ours" });
const failure = (message: string) => ({ status: false, message, data: null });

const record: PersonRecord = { ...shortRecord, nin: "30000000017", formatted_registration_date: "March 21, 2018" };

const ninRecord: PersonRecord = {
  ...record,
  bvn_number: "",
  formatted_registration_date: null,
  service_type: "NIN Verification without Image",
  personal_info: {
    ...record.personal_info,
    middle_name: "Emeka",
    full_name: "Faisal Emeka Ibekwe",
    phone_number: "",
  },
  residential_info: { ...publishedRecord.residential_info, residential_address: "23 Mission Street" },
};

function assertRequest({ method, path, headers, body }: Received, { kind, number }: IdentityAttempt): void {
  assert.equal(`${method} ${path}`, `POST /merchant/api/v1/identities/ng/${kind}`);
  assert.equal(headers.authorization, "Bearer sk_live_of_ours");
  assert.deepEqual(JSON.parse(body), { id: number, verification_consent: true });
}

const notFound = { status: 404, body: failure("Record not found"), facts: { billed: "unknown" as const } };

testVendor({
  vendor: korapay,
  values,
  checks: {
    bvn: { assertRequest, good: { body: bvn, record, facts: { reference } }, notFound },
    nin: { assertRequest, good: { body: nin, record: ninRecord, facts: { reference: nin.data.reference } }, notFound },
  },
  answers: {
    "an unknown number with 400": [400, failure("BVN not found"), noRecord],
    "an unknown number with 200": [200, failure("ID not found"), noRecord],
    "a bank by its newer code, and every other member": [
      200,
      {
        ...bvn,
        data: {
          ...bvn.data,
          enrollment_institution: "000013",
          enrollment_branch: "OWERRI MUNICIPAL",
          level_of_account: "LEVEL 2",
          lga_of_origin: "Doguwa",
          state_of_origin: "Kano",
          marital_status: "MARRIED",
          other_mobile: "2348000000027",
          watch_listed: "NO",
          name_on_card: "IBEKWE FAISAL",
        },
      },
      {
        state: "verified",
        reference,
        record: {
          ...record,
          name_on_card: "IBEKWE FAISAL",
          enrolment_bank: "000013",
          enrolment_branch: "OWERRI MUNICIPAL",
          level_of_account: "Level 2 - Medium Level Accounts",
          watchlisted: "NO",
          personal_info: {
            ...record.personal_info,
            phone_number_2: "08000000027",
            lga_of_origin: "Doguwa",
            state_of_origin: "Kano State",
            marital_status: "Married",
          },
        },
      },
    ],
    "a wrong address": [404, failure("Route not found"), badResponse("status")],
    "an attempt it does not take": [400, failure("id is not valid"), unavailable("refused")],
    "a lack of money": [400, failure("Insufficient balance"), unavailable("no_money")],
    "a wrong key": [401, failure("…"), unavailable("bad_credentials")],
    "a failure with 200": [200, failure("…"), badResponse("failure")],
    "a person without a name": [
      200,
      { ...bvn, data: { ...bvn.data, first_name: null, last_name: null } },
      { ...badResponse("shape"), reference },
    ],
    "a person without the number": [
      200,
      { ...bvn, data: { ...bvn.data, id: null } },
      { ...badResponse("shape"), reference },
    ],
  },
  secrets: ["sk_live_of_ours", "Faisal", "IBEKWE"],
});

/** Makes an attempt that has the reference of Korapay's earlier response. */
async function askAgain(t: TestContext, again: Behaviour) {
  const { upstream, local } = await openVendor(t, korapay, values, { timeout: 200 });
  local.behaviour = (response, received) => (received.method === "GET" ? again : json(200, bvn))(response, received);
  const outcome = await upstream.verify({ ...attempt, vendorReference: reference });
  return { outcome, asked: local.received.map(({ method, path, headers }) => ({ method, path, headers })) };
}

test("korapay's earlier response is fetched by its reference, and not bought again", async (t) => {
  const { outcome, asked } = await askAgain(t, json(200, earlier));
  assert.deepEqual(outcome, { state: "verified", record, reference, billed: "unknown", httpStatus: 200 });
  assert.deepEqual(
    asked.map(({ method, path }) => `${method} ${path}`),
    [`GET /merchant/api/v1/identities/verifications/${reference}`],
  );
  assert.equal(asked[0]?.headers.authorization, "Bearer sk_live_of_ours");
});

test("if korapay's earlier response has no record, the look-up is bought again", async (t) => {
  const without = { ...earlier, data: { reference, status: "found", type: "ng_bvn", date_created: "2026-11-02" } };
  const another = { ...earlier, data: { ...earlier.data, id: "22000000018" } };
  for (const behaviour of [json(200, without), json(200, another), json(404, failure("Record not found"))]) {
    const { outcome, asked } = await askAgain(t, behaviour);
    assert.deepEqual(outcome, { state: "verified", record, reference, httpStatus: 200 });
    assert.deepEqual(
      asked.map(({ method }) => method),
      ["GET", "POST"],
    );
  }
});

test("if korapay's earlier response cannot be fetched now, the look-up is not bought again", async (t) => {
  const cases: [Behaviour, IdentityOutcome][] = [
    [() => {}, { state: "unknown", reason: "timed_out" }],
    [(response) => void response.destroy(), { state: "unknown", reason: "connection_lost" }],
    [json(503, failure("…")), { state: "unknown", reason: "server_error", httpStatus: 503 }],
    [json(429, failure("…")), { ...unavailable("rate_limited"), httpStatus: 429 }],
    [json(302, {}), { state: "failed", reason: "unreadable", httpStatus: 302 }],
  ];
  for (const [behaviour, expected] of cases) {
    const { outcome, asked } = await askAgain(t, behaviour);
    assert.deepEqual(outcome, expected);
    assert.deepEqual(
      asked.map(({ method }) => method),
      ["GET"],
    );
  }
});

test("a test key of korapay is refused at the start: live keys must not reach invented people", () => {
  const { read } = korapay.settings.key!;
  assert.equal(read("sk_live_of_ours"), "sk_live_of_ours");
  assert.equal(read("sk_test_of_ours"), undefined);
});
