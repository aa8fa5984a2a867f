import assert from "node:assert/strict";
import bvnFile from "../../../../stand-ins/seamfix/samples/bvn.json" with { type: "json" };
import failuresFile from "../../../../stand-ins/seamfix/samples/failures.json" with { type: "json" };
import ninFile from "../../../../stand-ins/seamfix/samples/nin.json" with { type: "json" };
import type { PersonRecord } from "../../../operation/identity-record.ts";
import { emptyRecord } from "../../conformance.fixture.ts";
import type { Received } from "../../local-vendor.fixture.ts";
import type { IdentityAttempt } from "../../ports/identity-upstream.ts";
import { negative, unavailable } from "../../ports/outcomes.ts";
import { testVendor } from "../../vendor-conformance.fixture.ts";
import { seamfix } from "./index.ts";

const { sample: bvn } = bvnFile;
const { samples: failures } = failuresFile;
const { sample: nin } = ninFile;

const billed = "yes" as const;
const notBilled = { billed: "no" as const };

const record: PersonRecord = {
  ...emptyRecord,
  bvn_number: "22000000017",
  enrolment_branch: "OWERRI MUNICIPAL",
  enrolment_bank: "044",
  level_of_account: "Level 2 - Medium Level Accounts",
  nin: "30000000017",
  watchlisted: "NO",
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
    residential_address: "23 Mission Street, Owerri",
  },
};

const ninRecord: PersonRecord = {
  ...emptyRecord,
  nin: "30000000017",
  service_type: "NIN Verification without Image",
  personal_info: {
    ...record.personal_info,
    phone_number_2: null,
    lga_of_origin: "",
    state_of_origin: "",
    nationality: "",
    marital_status: "",
  },
};

const assertRequestWith =
  (verificationType: string, apikey: string) =>
  ({ method, path, headers, body }: Received, { number, reference }: IdentityAttempt) => {
    assert.equal(`${method} ${path}`, "POST /sfx-verify/v3/id-service/");
    assert.equal(headers.userid, "user-of-ours");
    assert.equal(headers.apikey, apikey);
    assert.deepEqual(JSON.parse(body), {
      searchParameter: number,
      verificationType,
      transactionReference: reference,
      countryCode: "NG",
    });
  };

const notFound = { status: 200, body: failures.notVerified, facts: { billed } };

testVendor({
  vendor: seamfix,
  values: (url) => ({ url, userId: "user-of-ours", key: "key-of-ours", ninKey: "nin-key-of-ours" }),
  checks: {
    bvn: {
      assertRequest: assertRequestWith("BVN-FULL-DETAILS", "key-of-ours"),
      good: { body: bvn, record, facts: { billed } },
      notFound,
    },
    nin: {
      assertRequest: assertRequestWith("NIN-VERIFY", "nin-key-of-ours"),
      good: { body: nin, record: ninRecord, facts: { billed } },
      notFound,
    },
  },
  answers: {
    "an unknown number with the money back": {
      status: 200,
      body: failures.notFound,
      outcome: { ...negative("not_found"), ...notBilled },
    },
    "an unknown number with 404": {
      status: 404,
      body: failures.notFound,
      outcome: { ...negative("not_found"), ...notBilled },
    },
    "a NIN's person in a list": {
      status: 200,
      kind: "nin",
      body: { ...nin, response: [nin.response] },
      outcome: { kind: "verified", record: ninRecord, billed },
    },
    "an empty wallet": { status: 200, body: failures.noMoney, outcome: { ...unavailable("no_money"), ...notBilled } },
    "a wrong key": { status: 200, body: failures.badKey, outcome: { ...unavailable("bad_credentials"), ...notBilled } },
    "a failure that says nothing of the person": {
      status: 200,
      body: failures.unexplained,
      outcome: { kind: "bad_response", why: "failure", ...notBilled },
    },
    "what its documentation does not name": {
      status: 200,
      body: failures.failed,
      outcome: { kind: "bad_response", why: "failure", ...notBilled },
    },
    "that it is not done yet": {
      status: 200,
      body: failures.pending,
      outcome: { kind: "unknown", reason: "unclear", billed },
    },
    "a record with the code of a failure": {
      status: 200,
      body: { ...bvn, responseCode: "01" },
      outcome: { kind: "bad_response", why: "failure", billed },
    },
    "an unknown number with 500": {
      status: 500,
      body: failures.notFound,
      outcome: { kind: "unknown", reason: "server_error", ...notBilled },
    },
    "nobody, verified": {
      status: 200,
      body: { ...bvn, response: null },
      outcome: { kind: "bad_response", why: "shape", billed },
    },
    "two persons": {
      status: 200,
      body: { ...bvn, response: [bvn.response, bvn.response] },
      outcome: { kind: "bad_response", why: "shape", billed },
    },
    "a person without a name": {
      status: 200,
      body: { ...bvn, response: { ...bvn.response, full_name: null, first_name: null, last_name: "" } },
      outcome: { kind: "bad_response", why: "shape", billed },
    },
  },
  secrets: ["user-of-ours", "key-of-ours", "FAISAL"],
});
