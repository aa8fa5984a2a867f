import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import bvnFile from "../../../stand-ins/qoreid/samples/bvn.json" with { type: "json" };
import failuresFile from "../../../stand-ins/qoreid/samples/failures.json" with { type: "json" };
import ninFile from "../../../stand-ins/qoreid/samples/nin.json" with { type: "json" };
import tokenFile from "../../../stand-ins/qoreid/samples/token.json" with { type: "json" };
import type { PersonRecord } from "../../declare/identity-record.ts";
import { attempt, publishedRecord, shortRecord } from "../conformance.fixture.ts";
import { type Behaviour, json, type Received } from "../local-vendor.fixture.ts";
import type { IdentityAttempt, IdentityOutcome } from "../ports/identity-upstream.ts";
import { badResponse, notSentBecause, unavailable } from "../ports/outcomes.ts";
import { openVendor, testVendor } from "../vendor-conformance.fixture.ts";
import { qoreid } from "./index.ts";

const { sample: bvn } = bvnFile;
const { samples: failures } = failuresFile;
const { sample: nin } = ninFile;
const { sample: token } = tokenFile;

const noRecord: IdentityOutcome = { state: "negative", reason: "not_found", billed: "unknown" };
const values = (url: string, names = "required") => ({
  url,
  clientId: "client-of-ours",
  secret: "secret-of-ours",
  names,
});

const ninRecord: PersonRecord = {
  ...shortRecord,
  bvn_number: "",
  nin: "30000000017",
  service_type: "NIN Verification without Image",
  personal_info: { ...shortRecord.personal_info, middle_name: "Emeka", full_name: "Faisal Emeka Ibekwe" },
  residential_info: { ...publishedRecord.residential_info, residential_address: "23 Mission Street" },
};

const assertRequestTo =
  (path: string) =>
  (received: Received, { number }: IdentityAttempt) => {
    assert.equal(`${received.method} ${received.path}`, `POST /v1/ng/identities/${path}/${number}`);
    assert.equal(received.headers.authorization, "Bearer token-invented");
    assert.deepEqual(JSON.parse(received.body), { firstname: "FAISAL", lastname: "IBEKWE" });
  };

testVendor({
  vendor: qoreid,
  values,
  prelude({ path, body }) {
    if (path !== "/token") return undefined;
    assert.deepEqual(JSON.parse(body), { clientId: "client-of-ours", secret: "secret-of-ours" });
    return token;
  },
  checks: {
    bvn: {
      assertRequest: assertRequestTo("bvn-basic"),
      good: { body: bvn, record: shortRecord, facts: { reference: "150017" } },
      notFound: { status: 404, body: failures.notFound, facts: { billed: "unknown" } },
    },
    nin: {
      assertRequest: assertRequestTo("nin"),
      good: { body: nin, record: ninRecord, facts: { reference: "150018" } },
      notFound: { status: 404, body: failures.ninNotFound, facts: { billed: "unknown" } },
    },
  },
  answers: {
    "an unknown number with 400": [400, failures.notFound, noRecord],
    "a NIN of a contract without names": [
      200,
      { ...nin, summary: { nin_check: "verified" } },
      { state: "verified", record: ninRecord, reference: "150018" },
      "nin",
    ],
    "the premium record": [
      200,
      {
        ...bvn,
        bvn: {
          ...bvn.bvn,
          maritalStatus: "Married",
          lgaOfResidence: "Owerri Municipal",
          lgaOfOrigin: "Doguwa",
          residentialAddress: "23 Mission Street",
          stateOfOrigin: "Kano State",
          enrollmentBank: "044",
          enrollmentBranch: "OWERRI MUNICIPAL",
          nameOnCard: "IBEKWE FAISAL",
          title: "Mr",
          levelOfAccount: "Level 2 - Medium Level Accounts",
        },
      },
      {
        state: "verified",
        reference: "150017",
        record: {
          ...shortRecord,
          name_on_card: "IBEKWE FAISAL",
          enrolment_branch: "OWERRI MUNICIPAL",
          enrolment_bank: "044",
          level_of_account: "Level 2 - Medium Level Accounts",
          personal_info: {
            ...shortRecord.personal_info,
            lga_of_origin: "Doguwa",
            state_of_origin: "Kano State",
            marital_status: "Married",
          },
          residential_info: {
            state_of_residence: "",
            lga_of_residence: "Owerri Municipal",
            residential_address: "23 Mission Street",
          },
        },
      },
    ],
    "other names without a record": [
      200,
      { id: 150017, summary: { bvn_check: { status: "NO_MATCH" } }, status: { state: "complete" } },
      { ...badResponse("shape"), reference: "150017" },
    ],
    "a NIN's record for a BVN": [200, nin, { ...badResponse("shape"), reference: "150018" }],
    "a person without a name": [200, { bvn: { ...bvn.bvn, firstname: null, lastname: null } }, badResponse("shape")],
    "a wrong address": [404, failures.noRoute, badResponse("status")],
    "a number that cannot be one": [400, failures.invalid, noRecord, "nin"],
    "an attempt it does not take": [400, { ...failures.invalid, message: "…" }, unavailable("refused")],
    "a token that it does not take, twice": [401, failures.unauthorized, unavailable("bad_credentials")],
  },
  secrets: ["client-of-ours", "secret-of-ours", "token-invented", "Faisal"],
});

/** Opens QoreID with the tokens t1, t2, … by default. */
async function open(
  t: TestContext,
  answer: Behaviour,
  { authorize, names }: { authorize?: Behaviour; names?: string } = {},
) {
  const { upstream, local, log } = await openVendor(t, qoreid, (url) => values(url, names));
  let tokens = 0;
  local.behaviour = (response, received) => {
    if (received.path !== "/token") return answer(response, received);
    tokens += 1;
    (authorize ?? json(200, { ...token, accessToken: `t${tokens}` }))(response, received);
  };
  return { upstream, received: local.received, log };
}

test("QoreID receives no attempt without a token", async (t) => {
  const refusals: [Behaviour, Parameters<typeof notSentBecause>[0]][] = [
    [json(401, failures.unauthorized), "bad_credentials"],
    [json(503, {}), "out_of_service"],
    [json(200, { token: "t1" }), "out_of_service"],
    [json(200, { ...token, accessToken: "t1\r\nX: y" }), "out_of_service"],
  ];
  for (const [authorize, reason] of refusals) {
    const { upstream, received, log } = await open(t, json(200, bvn), { authorize });
    assert.deepEqual(await upstream.verify(attempt), notSentBecause(reason));
    assert.deepEqual(
      received.map(({ path }) => path),
      ["/token"],
    );
    assert.doesNotMatch(JSON.stringify(log.lines), /secret-of-ours/);
  }
});

test("QoreID needs the person's names, unless the contract excludes them: then none are sent", async (t) => {
  assert.deepEqual((await open(t, json(200, bvn))).upstream.needs, ["names"]);
  const { upstream, received } = await open(t, json(200, bvn), { names: "none" });
  assert.deepEqual(upstream.needs, []);
  const claims = { ...attempt.claims, first_name: "FAISAL", last_name: "IBEKWE" };
  assert.equal((await upstream.verify({ ...attempt, claims })).state, "verified");
  assert.equal(received.at(-1)?.body, "");
});
