import assert from "node:assert/strict";
import foundFile from "../../../../stand-ins/dojah/samples/found.json" with { type: "json" };
import foundNinFile from "../../../../stand-ins/dojah/samples/nin.json" with { type: "json" };
import notFoundFile from "../../../../stand-ins/dojah/samples/not-found.json" with { type: "json" };
import type { PersonRecord } from "../../../operation/identity-record.ts";
import { emptyRecord } from "../../conformance.fixture.ts";
import type { Received } from "../../local-vendor.fixture.ts";
import type { IdentityAttempt, IdentityOutcome } from "../../ports/identity-upstream.ts";
import { unavailable } from "../../ports/outcomes.ts";
import { testVendor } from "../../vendor-conformance.fixture.ts";
import { dojah } from "./index.ts";

const { sample: found } = foundFile;
const { sample: foundNin } = foundNinFile;
const { sample: notFound } = notFoundFile;

const { entity } = found;

const record: PersonRecord = {
  bvn_number: "22000000017",
  name_on_card: "IBEKWE, FAISAL E",
  enrolment_branch: "OWERRI MUNICIPAL",
  enrolment_bank: "044",
  formatted_registration_date: "March 21, 2018",
  level_of_account: "Level 2 - Medium Level Accounts",
  nin: "",
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
    phone_number_2: null,
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
  personal_info: {
    ...record.personal_info,
    email: "faisal@example.com",
    lga_of_origin: "",
    state_of_origin: "",
    nationality: "",
  },
};

const notFoundOutcome: IdentityOutcome = { kind: "negative", reason: "not_found", billed: "unknown" };
const assertRequestTo =
  (path: string) =>
  (received: Received, { number }: IdentityAttempt) => {
    assert.equal(`${received.method} ${received.path}`, `GET ${path}${number}`);
    assert.equal(received.headers.appid, "app-of-ours");
    assert.equal(received.headers.authorization, "test_sk_of_ours");
    assert.equal(received.body, "");
  };

testVendor({
  vendor: dojah,
  values: (url) => ({ url, appId: "app-of-ours", key: "test_sk_of_ours" }),
  checks: {
    bvn: {
      assertRequest: assertRequestTo("/api/v1/kyc/bvn/advance?bvn="),
      good: { body: found, record },
      notFound: { status: 400, body: notFound, facts: { billed: "unknown" } },
    },
    nin: {
      assertRequest: assertRequestTo("/api/v1/kyc/nin?nin="),
      isUnnumbered: true,
      good: { body: foundNin, record: ninRecord },
      notFound: { status: 400, body: { error: "NIN not found" }, facts: { billed: "unknown" } },
    },
  },
  answers: {
    "an unknown record with 404": {
      status: 404,
      body: { error: "Record not found" },
      outcome: notFoundOutcome,
    },
    "an unknown BVN with 200": {
      status: 200,
      body: { ...notFound, entity: {} },
      outcome: notFoundOutcome,
    },
    "a NIN's record that names the NIN": {
      status: 200,
      kind: "nin",
      body: { entity: { ...foundNin.entity, nin: "30000000018" } },
      outcome: { kind: "verified", record: { ...ninRecord, nin: "30000000018" } },
    },
    "a record beside an error that is null, with numbers for texts": {
      status: 200,
      body: { error: null, entity: { ...entity, bvn: 22000000017, phone_number1: 8000000017, email: null } },
      outcome: { kind: "verified", record },
    },
    "a person without a name": {
      status: 200,
      body: { entity: { ...entity, first_name: null, last_name: "" } },
      outcome: { kind: "bad_response", why: "shape" },
    },
    "no money with 400": {
      status: 400,
      body: { error: "Your balance is low, pls visit the dashboard to top up" },
      outcome: unavailable("no_money"),
    },
    "an error with 200": { status: 200, body: { error: "…" }, outcome: { kind: "bad_response", why: "failure" } },
    "a wrong address": {
      status: 404,
      body: { error: "URL not recognized" },
      outcome: { kind: "bad_response", why: "status" },
    },
    "an attempt it does not take": { status: 400, body: { error: "BVN is invalid" }, outcome: unavailable("refused") },
    "a request that is disabled": { status: 405, body: { error: "…" }, outcome: unavailable("bad_settings") },
    "its own time-out": { status: 408, body: { error: "…" }, outcome: { kind: "unknown" } },
    "a failure of its own source": { status: 424, body: { error: "…" }, outcome: { kind: "unknown" } },
    "a server fault that says not found": {
      status: 500,
      body: notFound,
      outcome: { kind: "unknown", reason: "server_error" },
    },
    "a person without a BVN": {
      status: 200,
      body: { entity: { ...entity, bvn: undefined } },
      outcome: { kind: "bad_response", why: "shape" },
    },
    "the look-up of another kind, which only compares": {
      status: 200,
      body: { entity: { bvn: { value: "22000000017", status: true } } },
      outcome: { kind: "bad_response", why: "shape" },
    },
  },
  secrets: ["app-of-ours", "test_sk_of_ours", "FAISAL"],
});
