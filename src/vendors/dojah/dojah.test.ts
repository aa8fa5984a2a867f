import assert from "node:assert/strict";
import foundFile from "../../../stand-ins/dojah/samples/found.json" with { type: "json" };
import foundNinFile from "../../../stand-ins/dojah/samples/nin.json" with { type: "json" };
import notFoundFile from "../../../stand-ins/dojah/samples/not-found.json" with { type: "json" };
import type { PersonRecord } from "../../declare/identity-record.ts";
import { emptyRecord, publishedRecord } from "../conformance.fixture.ts";
import type { Received } from "../local-vendor.fixture.ts";
import type { IdentityAttempt, IdentityOutcome } from "../ports/identity-upstream.ts";
import { badResponse, unavailable, unknown } from "../ports/outcomes.ts";
import { testVendor } from "../vendor-conformance.fixture.ts";
import { dojah } from "./index.ts";

const { sample: found } = foundFile;
const { sample: foundNin } = foundNinFile;
const { sample: notFound } = notFoundFile;

const { entity } = found;

const record: PersonRecord = {
  ...publishedRecord,
  name_on_card: "IBEKWE, FAISAL E",
  nin: "",
  personal_info: { ...publishedRecord.personal_info, phone_number_2: null },
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

const notFoundOutcome: IdentityOutcome = { state: "negative", reason: "not_found", billed: "unknown" };
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
    "an unknown record with 404": [404, { error: "Record not found" }, notFoundOutcome],
    "an unknown BVN with 200": [200, { ...notFound, entity: {} }, notFoundOutcome],
    "a NIN's record that names the NIN": [
      200,
      { entity: { ...foundNin.entity, nin: "30000000018" } },
      { state: "verified", record: { ...ninRecord, nin: "30000000018" } },
      "nin",
    ],
    "a record beside an error that is null, with numbers for texts": [
      200,
      { error: null, entity: { ...entity, bvn: 22000000017, phone_number1: 8000000017, email: null } },
      { state: "verified", record },
    ],
    "a person without a name": [200, { entity: { ...entity, first_name: null, last_name: "" } }, badResponse("shape")],
    "no money with 400": [
      400,
      { error: "Your balance is low, pls visit the dashboard to top up" },
      unavailable("no_money"),
    ],
    "an error with 200": [200, { error: "…" }, badResponse("failure")],
    "a wrong address": [404, { error: "URL not recognized" }, badResponse("status")],
    "a number that cannot be one": [400, { error: "BVN is invalid" }, notFoundOutcome],
    "that it is down, with 400": [400, { error: "Unable to reach service" }, unavailable("out_of_service")],
    "a key that it does not know": [
      401,
      { error: "Your Secret Key could not be Authorized" },
      unavailable("bad_credentials"),
    ],
    "an attempt it does not take": [400, { error: "…" }, unavailable("refused")],
    "a request that is disabled": [405, { error: "…" }, unavailable("bad_settings")],
    "its own time-out": [408, { error: "…" }, unknown],
    "a failure of its own source": [424, { error: "…" }, unknown],
    "a person without a BVN": [200, { entity: { ...entity, bvn: undefined } }, badResponse("shape")],
    "the look-up of another kind, which only compares": [
      200,
      { entity: { bvn: { value: "22000000017", status: true } } },
      badResponse("shape"),
    ],
  },
  secrets: ["app-of-ours", "test_sk_of_ours", "FAISAL"],
});
