import assert from "node:assert/strict";
import bvnFile from "../../../../stand-ins/prembly/samples/bvn.json" with { type: "json" };
import failuresFile from "../../../../stand-ins/prembly/samples/failures.json" with { type: "json" };
import ninFile from "../../../../stand-ins/prembly/samples/nin.json" with { type: "json" };
import type { PersonRecord } from "../../../operation/identity-record.ts";
import { emptyRecord } from "../../conformance.fixture.ts";
import type { Received } from "../../local-vendor.fixture.ts";
import type { OutcomeFacts } from "../../ports/identity-upstream.ts";
import { negative, unavailable } from "../../ports/outcomes.ts";
import { testVendor } from "../../vendor-conformance.fixture.ts";
import { prembly } from "./index.ts";

const { sample: bvn } = bvnFile;
const { samples: failures } = failuresFile;
const { sample: nin } = ninFile;

const facts: OutcomeFacts = { reference: "5f0c1d9e-7a41-4c1e-9b57-0d2f6a8c1e44", billed: "yes", balance: 4_821_550 };
const notFound = { status: 200, body: failures.notFound, facts };
const blocked = { status: 200, body: failures.blocked, facts };

const record: PersonRecord = {
  bvn_number: "22000000017",
  name_on_card: "IBEKWE FAISAL",
  enrolment_branch: "OWERRI MUNICIPAL",
  enrolment_bank: "044",
  formatted_registration_date: "March 21, 2018",
  level_of_account: "Level 2 - Medium Level Accounts",
  nin: "30000000017",
  watchlisted: "NO",
  verification_status: "VERIFIED",
  service_type: "BVN Verification without Image",
  personal_info: {
    first_name: "FAISAL",
    middle_name: "EMEKA",
    last_name: "IBEKWE",
    full_name: "FAISAL EMEKA IBEKWE",
    email: "",
    gender: "Male",
    phone_number: "08000000017",
    phone_number_2: "08000000027",
    date_of_birth: "20-Nov-1995",
    formatted_date_of_birth: "November 20, 1995",
    lga_of_origin: "Doguwa",
    state_of_origin: "Kano State",
    nationality: "Nigeria",
    marital_status: "Married",
  },
  residential_info: {
    state_of_residence: "Imo State",
    lga_of_residence: "Owerri Municipal",
    residential_address: "23 Mission Street, Owerri Municipal",
  },
};

const ninRecord: PersonRecord = {
  ...emptyRecord,
  nin: "30000000017",
  service_type: "NIN Verification without Image",
  personal_info: { ...record.personal_info, phone_number_2: null, nationality: "" },
  residential_info: { ...record.residential_info, residential_address: "23 Mission Street" },
};

const assertRequestTo = (path: string, { headers, ...received }: Received, body: object) => {
  assert.equal(`${received.method} ${received.path}`, `POST ${path}`);
  assert.equal(headers["x-api-key"], "live_sk_of_ours");
  assert.equal(headers["app-id"], "app-of-ours");
  assert.equal(headers.authorization, undefined);
  assert.deepEqual(JSON.parse(received.body), body);
};

testVendor({
  vendor: prembly,
  values: (url) => ({ url, key: "live_sk_of_ours", appId: "app-of-ours" }),
  checks: {
    bvn: {
      assertRequest: (received, { number }) => assertRequestTo("/verification/bvn", received, { number }),
      good: { body: bvn, record, facts },
      notFound,
      blocked,
    },
    nin: {
      assertRequest: (received, { number }) => assertRequestTo("/verification/vnin", received, { number_nin: number }),
      good: { body: nin, record: ninRecord, facts },
      notFound,
      blocked,
    },
  },
  answers: {
    "a NIN's person in `data`": {
      status: 200,
      kind: "nin",
      body: { status: true, response_code: "00", data: nin.nin_data, nin_data: {} },
      outcome: { kind: "verified", record: ninRecord, billed: "yes" },
    },
    "an unknown number, as older pages have it": {
      status: 200,
      body: failures.notFoundOfOlderPages,
      outcome: { ...negative("not_found"), billed: "yes" },
    },
    "an unknown number with 404": {
      status: 404,
      body: failures.notFound,
      outcome: { ...negative("not_found"), ...facts },
    },
    "that its source is away": { status: 200, body: failures.unavailable, outcome: unavailable("out_of_service") },
    "an empty wallet": {
      status: 200,
      body: failures.noMoney,
      outcome: { ...unavailable("no_money"), balance: 1_200 },
    },
    "an attempt it does not take": { status: 200, body: failures.invalid, outcome: unavailable("refused") },
    "a bad key with the code of an unknown number": {
      status: 200,
      body: failures.badKey,
      outcome: unavailable("bad_credentials"),
    },
    "another code with 200": { status: 200, body: failures.error, outcome: { kind: "bad_response", why: "failure" } },
    "another code with 403": { status: 403, body: failures.error, outcome: unavailable("bad_credentials") },
    "an unknown number with 500": {
      status: 500,
      body: failures.notFoundOfOlderPages,
      outcome: { kind: "unknown", reason: "server_error" },
    },
    "a good code without a person": {
      status: 200,
      body: { ...bvn, data: null },
      outcome: { kind: "bad_response", why: "shape", reference: facts.reference!, balance: 4_821_550 },
    },
    "a person without a name": {
      status: 200,
      body: { response_code: "00", data: { ...bvn.data, firstName: null, lastName: null } },
      outcome: { kind: "bad_response", why: "shape" },
    },
    "the basic look-up, which names no number": {
      status: 200,
      body: { response_code: "00", data: { ...bvn.data, bvn: undefined } },
      outcome: { kind: "bad_response", why: "shape" },
    },
  },
  secrets: ["live_sk_of_ours", "app-of-ours", "FAISAL"],
});
