import assert from "node:assert/strict";
import bvnFile from "../../../../stand-ins/youverify/samples/bvn.json" with { type: "json" };
import failuresFile from "../../../../stand-ins/youverify/samples/failures.json" with { type: "json" };
import ninFile from "../../../../stand-ins/youverify/samples/nin.json" with { type: "json" };
import type { PersonRecord } from "../../../operation/identity-record.ts";
import { emptyRecord } from "../../conformance.fixture.ts";
import type { Received } from "../../local-vendor.fixture.ts";
import type { IdentityAttempt, IdentityOutcome } from "../../ports/identity-upstream.ts";
import { unavailable } from "../../ports/outcomes.ts";
import { testVendor } from "../../vendor-conformance.fixture.ts";
import { youverify } from "./index.ts";

const { sample: bvn } = bvnFile;
const { samples: failures } = failuresFile;
const { sample: nin } = ninFile;

const reference = "65a0c4f2b7d91e0012aa0017";
const noRecord: IdentityOutcome = { kind: "negative", reason: "not_found", billed: "unknown" };

const ninRecord: PersonRecord = {
  ...emptyRecord,
  nin: "30000000017",
  service_type: "NIN Verification without Image",
  personal_info: {
    ...emptyRecord.personal_info,
    first_name: "Faisal",
    middle_name: "Emeka",
    last_name: "Ibekwe",
    full_name: "Faisal Emeka Ibekwe",
    gender: "Male",
    phone_number: "08000000017",
    date_of_birth: "20-Nov-1995",
    formatted_date_of_birth: "November 20, 1995",
  },
  residential_info: {
    state_of_residence: "Imo State",
    lga_of_residence: "Owerri Municipal",
    residential_address: "23 Mission Street",
  },
};

const bvnRecord: PersonRecord = {
  ...ninRecord,
  bvn_number: "22000000017",
  name_on_card: "IBEKWE FAISAL",
  enrolment_branch: "OWERRI MUNICIPAL",
  enrolment_bank: "044",
  formatted_registration_date: "March 21, 2018",
  level_of_account: "Level 2 - Medium Level Accounts",
  watchlisted: "NO",
  service_type: "BVN Verification without Image",
  personal_info: { ...ninRecord.personal_info, lga_of_origin: "Doguwa", state_of_origin: "Kano State" },
};

function assertRequest({ method, path, headers, body }: Received, { kind, number, reference }: IdentityAttempt): void {
  assert.equal(`${method} ${path}`, `POST /v2/api/identity/ng/${kind}`);
  assert.equal(headers.token, "key-of-ours");
  assert.deepEqual(JSON.parse(body), { id: number, isSubjectConsent: true, metadata: { ref: reference } });
}

const notFound = { status: 200, body: failures.notFound, facts: { reference, billed: "unknown" as const } };

testVendor({
  vendor: youverify,
  values: (url) => ({ url, key: "key-of-ours" }),
  checks: {
    bvn: { assertRequest, good: { body: bvn, record: bvnRecord, facts: { reference } }, notFound },
    nin: { assertRequest, good: { body: nin, record: ninRecord, facts: { reference } }, notFound },
  },
  answers: {
    "an unknown number without a person": { status: 200, body: failures.recordNotFound, outcome: noRecord },
    "an unknown NIN with 404": { status: 404, kind: "nin", body: failures.ninNotFound, outcome: noRecord },
    "a number that cannot be one": { status: 400, kind: "nin", body: failures.invalidNumber, outcome: noRecord },
    "a wrong address": { status: 404, body: failures.noRoute, outcome: { kind: "bad_response", why: "status" } },
    "a wrong address with 200": {
      status: 200,
      body: failures.noRoute,
      outcome: { kind: "bad_response", why: "status" },
    },
    "a member that it does not take": { status: 400, body: failures.refusedMember, outcome: unavailable("refused") },
    "an empty wallet": { status: 402, body: failures.noMoney, outcome: unavailable("no_money") },
    "an empty wallet with 200": { status: 200, body: failures.noMoney, outcome: unavailable("no_money") },
    "a key that may not ask": { status: 403, body: failures.denied, outcome: unavailable("bad_credentials") },
    "that its source is away": {
      status: 500,
      body: failures.away,
      outcome: { kind: "unknown", reason: "server_error" },
    },
    "an unknown number with 500": {
      status: 500,
      body: failures.ninNotFound,
      outcome: { kind: "unknown", reason: "server_error" },
    },
    "a failure that says nothing": {
      status: 200,
      body: { success: false, message: "…" },
      outcome: { kind: "bad_response", why: "failure" },
    },
    "nobody, with success": {
      status: 200,
      body: { ...bvn, data: null },
      outcome: { kind: "bad_response", why: "shape" },
    },
    "a person without a name": {
      status: 200,
      body: { ...bvn, data: { ...bvn.data, firstName: "", lastName: null } },
      outcome: { kind: "bad_response", why: "shape", reference },
    },
    "a person who is still looked for": {
      status: 200,
      body: { ...bvn, data: { ...bvn.data, status: "pending" } },
      outcome: { kind: "bad_response", why: "shape", reference },
    },
    "a last name only, and nothing else of a person that may be missing": {
      status: 200,
      kind: "nin",
      body: { success: true, data: { status: "found", idNumber: "30000000017", lastName: "Ibekwe", address: null } },
      outcome: {
        kind: "verified",
        record: {
          ...emptyRecord,
          nin: "30000000017",
          service_type: "NIN Verification without Image",
          personal_info: { ...emptyRecord.personal_info, last_name: "Ibekwe", full_name: "Ibekwe" },
        },
      },
    },
  },
  secrets: ["key-of-ours", "Faisal", "IBEKWE"],
});
