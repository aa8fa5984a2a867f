import assert from "node:assert/strict";
import type { PersonRecord } from "../../src/declare/identity-record.ts";
import { emptyRecord } from "../../src/vendors/conformance.fixture.ts";
import { testVendor } from "../../src/vendors/vendor-conformance.fixture.ts";
import { acme } from "./index.ts";
import bvnFile from "./samples/bvn.json" with { type: "json" };
import failuresFile from "./samples/failures.json" with { type: "json" };

const { sample: bvn } = bvnFile;
const { samples: failures } = failuresFile;

/** FILL IN: the record that the sample becomes. */
const record: PersonRecord = {
  ...emptyRecord,
  bvn_number: "22000000017",
  service_type: "BVN Verification without Image",
  personal_info: {
    ...emptyRecord.personal_info,
    first_name: "FAISAL",
    last_name: "IBEKWE",
    full_name: "FAISAL IBEKWE",
    gender: "Male",
    phone_number: "08000000017",
    date_of_birth: "20-Nov-1995",
    formatted_date_of_birth: "November 20, 1995",
  },
};

testVendor({
  vendor: acme,
  values: (url) => ({ url, key: "key-of-ours" }),
  checks: {
    bvn: {
      // FILL IN: the request, as the documentation has it.
      assertRequest({ method, path, headers, body }, { number, reference }) {
        assert.equal(`${method} ${path}`, "POST /bvn");
        assert.equal(headers.authorization, "Bearer key-of-ours");
        assert.deepEqual(JSON.parse(body), { number, reference });
      },
      good: { body: bvn, record, facts: { reference: "r-17" } },
      notFound: { status: 404, body: failures.notFound, facts: { billed: "unknown" } },
    },
  },
  answers: {
    // FILL IN: each documented answer, those with HTTP 200 that are failures too.
  },
  secrets: ["key-of-ours", "FAISAL"],
});
