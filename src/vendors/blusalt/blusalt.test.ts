import assert from "node:assert/strict";
import notFoundFile from "../../../stand-ins/blusalt/samples/not-found.json" with { type: "json" };
import verifiedFile from "../../../stand-ins/blusalt/samples/verified.json" with { type: "json" };
import type { IdentityOutcome } from "../ports/identity-upstream.ts";
import { badResponse, unavailable, unknownBecause } from "../ports/outcomes.ts";
import { testVendor } from "../vendor-conformance.fixture.ts";
import { blusalt } from "./index.ts";

const { sample: notFound } = notFoundFile;
const { sample: verified } = verifiedFile;

const { request_reference: _, ...record } = verified.results;
const notFoundOutcome: IdentityOutcome = { state: "negative", reason: "not_found", billed: "unknown" };
const failure = (status_code: number) => ({ status_code, status: "Failed", message: "…", results: null });

testVendor({
  vendor: blusalt,
  values: (url) => ({ url, clientId: "client-of-ours", appName: "app of ours", key: "test_key_of_ours" }),
  checks: {
    bvn: {
      assertRequest({ method, path, headers, body }) {
        assert.equal(`${method} ${path}`, "POST /IdentityVerification/BVN");
        assert.equal(headers.clientid, "client-of-ours");
        assert.equal(headers.appname, "app of ours");
        assert.equal(headers.apikey, "test_key_of_ours");
        assert.deepEqual(JSON.parse(body), { bvn_number: "22000000017", phone_number: "08000000017" });
      },
      good: { body: verified, record },
      notFound: { status: 200, body: notFound, facts: { billed: "unknown" } },
    },
  },
  answers: {
    "an unknown BVN with 404": [404, notFound, notFoundOutcome],
    "an unknown BVN with 400": [400, notFound, notFoundOutcome],
    "bad credentials with 200": [200, failure(401), unavailable("bad_credentials")],
    "no money with 200": [200, failure(402), unavailable("no_money")],
    "a good status as a text": [200, { ...verified, status_code: "200" }, { state: "verified", record }],
    "an unknown BVN with a status as a text": [200, { ...notFound, status_code: "404" }, notFoundOutcome],
    "no money with its own status 400": [
      200,
      { ...failure(400), message: "Insufficient balance, kindly fund your wallet" },
      unavailable("no_money"),
    ],
    "an attempt it does not take": [400, failure(400), unavailable("refused")],
    "a server error with 200": [200, failure(500), unknownBecause("server_error")],
    "a good status without a record": [200, failure(200), badResponse("shape")],
    "a good body with a bad status": [404, verified, badResponse("status")],
  },
  secrets: ["client-of-ours", "app of ours", "test_key_of_ours", "FAISAL"],
});
