import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answers } from "../../declare/operation.ts";
import { publicState } from "../../ledger/public-state.ts";
import type { IdentityOutcome } from "../../vendors/ports/identity-upstream.ts";
import { sandboxRecord } from "../played-upstream.fixture.ts";
import { matchRecord } from "./match-record.ts";

const attempt = { kind: "bvn" as const, number: "22000000017", claims: { phone: "8000000017" } };
const record = await sandboxRecord(attempt);
const person = record.personal_info;
const strict = { phoneMatch: true, answers: "full" as Answers };
const judged = (outcome: unknown, settings = strict) => matchRecord(outcome as IdentityOutcome, attempt, settings);
const rejected = (reason: string) => ({ state: "failed", reason });

test("an outcome without a record, or with a matching record, is passed on unchanged", () => {
  for (const outcome of [
    { state: "verified", record },
    { state: "negative", reason: "phone_mismatch" },
    { state: "failed", reason: "paused", notSent: true },
    { state: "failed", reason: "shape" },
    { state: "unknown", reason: "connection_lost" },
  ])
    assert.deepEqual(judged(outcome), outcome);
});

test("the vendor's reference is kept, whether its record is accepted or rejected", () => {
  for (const bad of [record, {}, { ...record, verification_status: "NOT VERIFIED" }])
    assert.equal(judged({ state: "verified", record: bad, reference: "theirs" }).reference, "theirs");
});

test("an outcome with an unknown state counts as a bad response", () => {
  for (const outcome of [undefined, null, {}, { state: "VERIFIED" }])
    assert.deepEqual(judged(outcome), rejected("strange"));
});

test("a record with another BVN, another status or missing members is a bad response", () => {
  const { nin: _, ...withoutNin } = record;
  for (const [bad, why] of [
    [{ ...record, bvn_number: "22000000018" }, "other_number"],
    [{ ...record, bvn_number: "" }, "other_number"],
    [{ ...record, verification_status: "NOT VERIFIED" }, "not_verified"],
    [{ ...record, watchlisted: true }, "incomplete"],
    [{ ...record, personal_info: { ...person, first_name: null } }, "incomplete"],
    [withoutNin, "incomplete"],
    [null, "incomplete"],
  ] as const)
    assert.deepEqual(judged({ state: "verified", record: bad }), rejected(why));
});

test("a masked BVN whose visible digits agree is accepted, and the record then has the requested BVN in full", () => {
  for (const bvn_number of ["220****0017", "*******0017", "22XXXXXX017", "2200000001*"])
    assert.deepEqual(judged({ state: "verified", record: { ...record, bvn_number } }), { state: "verified", record });
  for (const bvn_number of ["220****0018", "********017", "***********", "*0017", "220****00170", "220 *** 0017"])
    assert.deepEqual(judged({ state: "verified", record: { ...record, bvn_number } }), rejected("other_number"));
});

test("the status VERIFIED is accepted in upper or lower case, and returned in upper case", () => {
  for (const verification_status of ["verified", "Verified"])
    assert.deepEqual(judged({ state: "verified", record: { ...record, verification_status } }), {
      state: "verified",
      record,
    });
});

test("undeclared members of a record are dropped, and declared ones are in the documented order", () => {
  const { bvn_number, ...rest } = record;
  const verdict = judged({
    state: "verified",
    record: { photo: "…", ...rest, bvn_number, personal_info: { ...person, x: 1 } },
  });
  assert.deepEqual(verdict, { state: "verified", record });
  assert.equal(JSON.stringify((verdict as { record: object }).record), JSON.stringify(record));
});

test("the requested phone must equal one of the record's phones, in whatever form the record writes it", () => {
  const withPhones = (phone_number: string, phone_number_2: string | null) =>
    publicState({
      reason: null,
      ...judged({
        state: "verified",
        record: { ...record, personal_info: { ...person, phone_number, phone_number_2 } },
      }),
    });
  assert.equal(withPhones("08000000017", null), "verified");
  assert.equal(withPhones("+234 800 000 0017", null), "verified");
  assert.equal(withPhones("08099999999", "2348000000017"), "verified");
  assert.equal(withPhones("", "8000000017"), "verified");
  assert.equal(withPhones("08099999999", null), "phone_mismatch");
  assert.equal(withPhones("08099999999", "08099999998"), "phone_mismatch");
  assert.equal(withPhones("", null), "phone_mismatch");
  assert.equal(withPhones("", ""), "phone_mismatch");
  assert.equal(withPhones("000017", null), "phone_mismatch");
});

test("with the phone check off, a record without a phone is verified", () => {
  const other = { ...record, personal_info: { ...person, phone_number: "" } };
  assert.equal(judged({ state: "verified", record: other }, { ...strict, phoneMatch: false }).state, "verified");
  const negative = { state: "negative", reason: "phone_mismatch" };
  assert.equal(judged(negative, { ...strict, phoneMatch: false }).state, "negative");
});

test("a masked answer tells only the status, the watch-list flag, the name and the number's last four digits", () => {
  const verdict = judged({ state: "verified", record }, { ...strict, answers: "masked" });
  assert.equal(verdict.state, "verified");
  const given = (verdict as { record: typeof record }).record;
  const { personal_info, residential_info, ...own } = given;
  const { first_name, middle_name, last_name, full_name, ...rest } = personal_info;
  assert.deepEqual(
    { first_name, middle_name, last_name, full_name },
    {
      first_name: person.first_name,
      middle_name: person.middle_name,
      last_name: person.last_name,
      full_name: person.full_name,
    },
  );
  const { bvn_number, name_on_card, verification_status, service_type, watchlisted, ...others } = own;
  assert.equal(watchlisted, record.watchlisted);
  assert.deepEqual(
    { bvn_number, name_on_card, verification_status, service_type },
    {
      bvn_number: "*******0017",
      name_on_card: record.name_on_card,
      verification_status: "VERIFIED",
      service_type: record.service_type,
    },
  );
  const left = Object.entries({ ...others, ...rest, ...residential_info });
  assert.deepEqual(
    left.filter(([, value]) => value !== "").map(([name, value]) => [name, value]),
    [
      ["formatted_registration_date", null],
      ["phone_number_2", null],
    ],
  );
  assert.deepEqual(Object.keys(given), Object.keys(record));
  assert.deepEqual(Object.keys(personal_info), Object.keys(person));
});
