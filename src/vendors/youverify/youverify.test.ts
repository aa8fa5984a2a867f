import assert from "node:assert/strict";
import bvnFile from "../../../stand-ins/youverify/samples/bvn.json" with { type: "json" };
import failuresFile from "../../../stand-ins/youverify/samples/failures.json" with { type: "json" };
import ninFile from "../../../stand-ins/youverify/samples/nin.json" with { type: "json" };
import type { PersonRecord } from "../../declare/identity-record.ts";
import { emptyRecord, publishedRecord, shortRecord } from "../conformance.fixture.ts";
import type { Received } from "../local-vendor.fixture.ts";
import type { IdentityAttempt, IdentityOutcome } from "../ports/identity-upstream.ts";
import { badResponse, unavailable, unknownBecause } from "../ports/outcomes.ts";
import { testVendor } from "../vendor-conformance.fixture.ts";
import { youverify } from "./index.ts";

const { sample: bvn } = bvnFile;
const { samples: failures } = failuresFile;
const { sample: nin } = ninFile;

const reference = "65a0c4f2b7d91e0012aa0017";
const noRecord: IdentityOutcome = { state: "negative", reason: "not_found", billed: "unknown" };

const ninRecord: PersonRecord = {
  ...shortRecord,
  bvn_number: "",
  nin: "30000000017",
  service_type: "NIN Verification without Image",
  personal_info: { ...shortRecord.personal_info, middle_name: "Emeka", full_name: "Faisal Emeka Ibekwe" },
  residential_info: { ...publishedRecord.residential_info, residential_address: "23 Mission Street" },
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
    "an unknown number without a person": [200, failures.recordNotFound, noRecord],
    "an unknown NIN with 404": [404, failures.ninNotFound, noRecord, "nin"],
    "a number that cannot be one": [400, failures.invalidNumber, noRecord, "nin"],
    "a wrong address": [404, failures.noRoute, badResponse("status")],
    "a wrong address with 200": [200, failures.noRoute, badResponse("status")],
    "a member that it does not take": [400, failures.refusedMember, unavailable("refused")],
    "an empty wallet": [402, failures.noMoney, unavailable("no_money")],
    "an empty wallet with 200": [200, failures.noMoney, unavailable("no_money")],
    "a key that may not ask": [403, failures.denied, unavailable("bad_credentials")],
    "that its source is away": [500, failures.away, unknownBecause("server_error")],
    "a failure that says nothing": [200, { success: false, message: "…" }, badResponse("failure")],
    "nobody, with success": [200, { ...bvn, data: null }, badResponse("shape")],
    "a person without a name": [
      200,
      { ...bvn, data: { ...bvn.data, firstName: "", lastName: null } },
      { ...badResponse("shape"), reference },
    ],
    "a person who is still looked for": [
      200,
      { ...bvn, data: { ...bvn.data, status: "pending" } },
      { ...badResponse("shape"), reference },
    ],
    "a last name only, and nothing else of a person that may be missing": [
      200,
      { success: true, data: { status: "found", idNumber: "30000000017", lastName: "Ibekwe", address: null } },
      {
        state: "verified",
        record: {
          ...emptyRecord,
          nin: "30000000017",
          service_type: "NIN Verification without Image",
          personal_info: { ...emptyRecord.personal_info, last_name: "Ibekwe", full_name: "Ibekwe" },
        },
      },
      "nin",
    ],
  },
  secrets: ["key-of-ours", "Faisal", "IBEKWE"],
});
