import assert from "node:assert/strict";
import bvnFile from "../../../stand-ins/prembly/samples/bvn.json" with { type: "json" };
import failuresFile from "../../../stand-ins/prembly/samples/failures.json" with { type: "json" };
import ninFile from "../../../stand-ins/prembly/samples/nin.json" with { type: "json" };
import type { PersonRecord } from "../../declare/identity-record.ts";
import { emptyRecord, publishedRecord } from "../conformance.fixture.ts";
import type { Received } from "../local-vendor.fixture.ts";
import type { OutcomeFacts } from "../ports/identity-upstream.ts";
import { badResponse, negative, unavailable } from "../ports/outcomes.ts";
import { testVendor } from "../vendor-conformance.fixture.ts";
import { prembly } from "./index.ts";

const { sample: bvn } = bvnFile;
const { samples: failures } = failuresFile;
const { sample: nin } = ninFile;

const facts: OutcomeFacts = { reference: "5f0c1d9e-7a41-4c1e-9b57-0d2f6a8c1e44", billed: "yes", balance: 4_821_550 };
const notFound = { status: 200, body: failures.notFound, facts };
const blocked = { status: 200, body: failures.blocked, facts };

const ninRecord: PersonRecord = {
  ...emptyRecord,
  nin: "30000000017",
  service_type: "NIN Verification without Image",
  personal_info: { ...publishedRecord.personal_info, phone_number_2: null, nationality: "" },
  residential_info: { ...publishedRecord.residential_info, residential_address: "23 Mission Street" },
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
      good: { body: bvn, record: publishedRecord, facts },
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
    "a NIN's person in `data`": [
      200,
      { status: true, response_code: "00", data: nin.nin_data, nin_data: {} },
      { state: "verified", record: ninRecord, billed: "yes" },
      "nin",
    ],
    "an unknown number, as older pages have it": [
      200,
      failures.notFoundOfOlderPages,
      { ...negative("not_found"), billed: "yes" },
    ],
    "an unknown number with 404": [404, failures.notFound, { ...negative("not_found"), ...facts }],
    "that its source is away": [200, failures.unavailable, unavailable("out_of_service")],
    "an empty wallet": [200, failures.noMoney, { ...unavailable("no_money"), balance: 1_200 }],
    "an attempt it does not take": [200, failures.invalid, unavailable("refused")],
    "a bad key with the code of an unknown number": [200, failures.badKey, unavailable("bad_credentials")],
    "another code with 200": [200, failures.error, badResponse("failure")],
    "another code with 403": [403, failures.error, unavailable("bad_credentials")],
    "a good code without a person": [
      200,
      { ...bvn, data: null },
      { ...badResponse("shape"), reference: facts.reference!, balance: 4_821_550 },
    ],
    "a person without a name": [
      200,
      { response_code: "00", data: { ...bvn.data, firstName: null, lastName: null } },
      badResponse("shape"),
    ],
    "the basic look-up, which names no number": [
      200,
      { response_code: "00", data: { ...bvn.data, bvn: undefined } },
      badResponse("shape"),
    ],
  },
  secrets: ["live_sk_of_ours", "app-of-ours", "FAISAL"],
});
