import assert from "node:assert/strict";
import bvnFile from "../../../stand-ins/seamfix/samples/bvn.json" with { type: "json" };
import failuresFile from "../../../stand-ins/seamfix/samples/failures.json" with { type: "json" };
import ninFile from "../../../stand-ins/seamfix/samples/nin.json" with { type: "json" };
import type { PersonRecord } from "../../declare/identity-record.ts";
import { emptyRecord, publishedRecord } from "../conformance.fixture.ts";
import type { Received } from "../local-vendor.fixture.ts";
import type { IdentityAttempt } from "../ports/identity-upstream.ts";
import { badResponse, negative, unavailable, unknownBecause } from "../ports/outcomes.ts";
import { testVendor } from "../vendor-conformance.fixture.ts";
import { seamfix } from "./index.ts";

const { sample: bvn } = bvnFile;
const { samples: failures } = failuresFile;
const { sample: nin } = ninFile;

const billed = "yes" as const;
const notBilled = { billed: "no" as const };

const record: PersonRecord = {
  ...publishedRecord,
  name_on_card: "",
  formatted_registration_date: null,
  residential_info: { ...publishedRecord.residential_info, residential_address: "23 Mission Street, Owerri" },
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
    "an unknown number with the money back": [200, failures.notFound, { ...negative("not_found"), ...notBilled }],
    "an unknown number with 404": [404, failures.notFound, { ...negative("not_found"), ...notBilled }],
    "a NIN's person in a list": [
      200,
      { ...nin, response: [nin.response] },
      { state: "verified", record: ninRecord, billed },
      "nin",
    ],
    "an empty wallet": [200, failures.noMoney, { ...unavailable("no_money"), ...notBilled }],
    "a wrong key": [200, failures.badKey, { ...unavailable("bad_credentials"), ...notBilled }],
    "a failure that says nothing of the person": [
      200,
      failures.unexplained,
      { ...badResponse("failure"), ...notBilled },
    ],
    "what its documentation does not name": [200, failures.failed, { ...badResponse("failure"), ...notBilled }],
    "that it is not done yet": [200, failures.pending, { ...unknownBecause("unclear"), billed }],
    "a record with the code of a failure": [200, { ...bvn, responseCode: "01" }, { ...badResponse("failure"), billed }],
    "an unknown number with 500": [500, failures.notFound, { ...unknownBecause("server_error"), ...notBilled }],
    "nobody, verified": [200, { ...bvn, response: null }, { ...badResponse("shape"), billed }],
    "two persons": [200, { ...bvn, response: [bvn.response, bvn.response] }, { ...badResponse("shape"), billed }],
    "a person without a name": [
      200,
      { ...bvn, response: { ...bvn.response, full_name: null, first_name: null, last_name: "" } },
      { ...badResponse("shape"), billed },
    ],
  },
  secrets: ["user-of-ours", "key-of-ours", "FAISAL"],
});
