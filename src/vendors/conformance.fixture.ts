import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type CheckRecord, checkInputOf, checks } from "../checks/index.ts";
import { numberIn } from "../checks/kinds.fixture.ts";
import { answerWriter } from "../declare/answers/answer-writer.ts";
import { type CheckKind, forEachKind, labelOf, numberMember, type PersonKind } from "../declare/check-kind.ts";
import type { PersonRecord } from "../declare/identity-record.ts";
import type { IdentityAttempt, IdentityOutcome, IdentityUpstream } from "./ports/identity-upstream.ts";
import { didNoWork } from "./ports/outcomes.ts";

/** Tests that every identity source must pass, the sandbox included. */

const shortDate = /^(\d{2}-[A-Z][a-z]{2}-\d{4})?$/;
const longDate = /^([A-Z][a-z]{2,8} [1-9]\d?, \d{4})?$/;

/** Asserts that a record has exactly the documented members, in order and form. */
export function assertRecord(record: CheckRecord, kind: CheckKind = "bvn"): void {
  assert.equal(answerWriter(checks[kind].record)(record), JSON.stringify(record));
  if ("personal_info" in record) assertPerson(record, kind as PersonKind);
}

function assertPerson(record: PersonRecord, kind: PersonKind): void {
  const { personal_info: person } = record;
  assert.match(record[numberMember(kind)], /^\d{11}$/);
  assert.match(record.formatted_registration_date ?? "", longDate);
  assert.notEqual(record.formatted_registration_date, "");
  assert.match(record.watchlisted ?? "NO", /^(YES|NO)$/);
  assert.equal(record.verification_status, "VERIFIED");
  assert.match(person.gender, /^(Male|Female)?$/);
  assert.match(person.date_of_birth, shortDate);
  assert.match(person.formatted_date_of_birth, longDate);
  assert.match(person.phone_number, /^(0\d{10})?$/);
  assert.match(person.phone_number_2 ?? "08000000000", /^0\d{10}$/);
  for (const state of [person.state_of_origin, record.residential_info.state_of_residence])
    assert.match(state, /^([A-Z][A-Za-z ]+ State|Federal Capital Territory)?$/);
}

/** A record in which all optional members are empty. */
export const emptyRecord: PersonRecord = {
  bvn_number: "",
  name_on_card: "",
  enrolment_branch: "",
  enrolment_bank: "",
  formatted_registration_date: null,
  level_of_account: "",
  nin: "",
  watchlisted: null,
  verification_status: "VERIFIED",
  service_type: "",
  personal_info: {
    first_name: "",
    middle_name: "",
    last_name: "",
    full_name: "",
    email: "",
    gender: "",
    phone_number: "",
    phone_number_2: null,
    date_of_birth: "",
    formatted_date_of_birth: "",
    lga_of_origin: "",
    state_of_origin: "",
    nationality: "",
    marital_status: "",
  },
  residential_info: { state_of_residence: "", lga_of_residence: "", residential_address: "" },
};

/**
 * The invented person of the vendors' longest sample responses. A vendor's test overrides what differs in its sample.
 */
export const publishedRecord: PersonRecord = {
  bvn_number: "22000000017",
  name_on_card: "IBEKWE FAISAL",
  enrolment_branch: "OWERRI MUNICIPAL",
  enrolment_bank: "044",
  formatted_registration_date: "March 21, 2018",
  level_of_account: "Level 2 - Medium Level Accounts",
  nin: "30000000017",
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
    residential_address: "23 Mission Street, Owerri Municipal",
  },
};

/** The same invented person, with the members of shorter samples only. */
export const shortRecord: PersonRecord = {
  ...emptyRecord,
  bvn_number: "22000000017",
  service_type: "BVN Verification without Image",
  personal_info: {
    ...emptyRecord.personal_info,
    first_name: "Faisal",
    last_name: "Ibekwe",
    full_name: "Faisal Ibekwe",
    gender: "Male",
    phone_number: "08000000017",
    date_of_birth: "20-Nov-1995",
    formatted_date_of_birth: "November 20, 1995",
  },
};

/** An attempt of each kind about an invented person. */
export const attempts: Readonly<Record<CheckKind, IdentityAttempt>> = {
  ...forEachKind((kind) => kind, attemptOf),
  bvn: attemptOf("bvn", "22000000017"),
  nin: attemptOf("nin", "30000000017"),
};

export const attempt = attempts.bvn;

function attemptOf(kind: CheckKind, number?: string): IdentityAttempt {
  const asked = checkInputOf(checks[kind], checks[kind].example);
  const signal = new AbortController().signal;
  return { ...asked, ...(number !== undefined && { number }), reference: "abcdef000000001", signal };
}

/** Registers the tests for one source. `numbers`: numbers with known results. */
export function testIdentityUpstream(
  name: string,
  open: (t: TestContext) => Promise<IdentityUpstream>,
  numbers: { verified: string; notFound: string; slow: string },
  kind: CheckKind = "bvn",
): void {
  const label = labelOf(kind);
  test(`${name} gives a whole record of the ${label} asked for, in the interface's forms`, async (t) => {
    const upstream = await open(t);
    const outcome = await upstream.verify({ ...attemptTo(upstream, kind), number: numbers.verified });
    assert.ok(outcome.state === "verified");
    assertRecord(outcome.record, kind);
    assert.equal(numberIn(outcome.record, kind), numbers.verified);
  });

  test(`${name} reports a ${label} that nobody has as not found`, async (t) => {
    const upstream = await open(t);
    const outcome = await upstream.verify({ ...attemptTo(upstream, kind), number: numbers.notFound });
    assert.deepEqual(withoutFacts(outcome), { state: "negative", reason: "not_found" });
  });

  test(`${name} ends the wait for a ${label} when aborted, and reports no verified or negative outcome`, async (t) => {
    const upstream = await open(t);
    const limit = new AbortController();
    const asked = upstream.verify({ ...attemptTo(upstream, kind), number: numbers.slow, signal: limit.signal });
    setImmediate(() => limit.abort());
    const outcome = await asked;
    assert.ok(outcome.state === "unknown" || didNoWork(outcome), outcome.state);
  });
}

/** Returns the attempt of this kind, with the facts that this source needs. */
export function attemptTo({ needs = [] }: IdentityUpstream, kind: CheckKind): IdentityAttempt {
  const asked = attempts[kind];
  const claims = needs.includes("names")
    ? { ...asked.claims, first_name: "FAISAL", last_name: "IBEKWE" }
    : asked.claims;
  return { ...asked, claims, ...(needs.includes("consent") ? { consentReference: "consent-17" } : {}) };
}

function withoutFacts({
  reference: _,
  billed: __,
  balance: ___,
  httpStatus: ____,
  ...outcome
}: IdentityOutcome): object {
  return outcome;
}
