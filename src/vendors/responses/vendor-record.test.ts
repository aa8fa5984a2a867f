import assert from "node:assert/strict";
import { test } from "node:test";
import { givenMembers, membersIn, vendorRecord } from "./vendor-record.ts";

test("a record's members are found under the names that vendors give them", () => {
  const spelled = [
    { firstName: "AMINA", lastName: "BELLO", phoneNumber1: "08000000099", enrollmentBank: "058", watchListed: "NO" },
    { first_name: "AMINA", last_name: "BELLO", mobile: "08000000099", enrollment_bank: "058", watch_listed: "NO" },
    { firstname: "AMINA", surname: "BELLO", telephoneno: "08000000099", enrolment_bank: "058", watchlisted: "NO" },
  ];
  for (const given of spelled) {
    const { personal_info, enrolment_bank, watchlisted, verification_status } = vendorRecord(given);
    const { first_name, last_name, phone_number } = membersIn(personal_info);
    assert.deepEqual(
      [first_name, last_name, phone_number, enrolment_bank, watchlisted, verification_status],
      ["AMINA", "BELLO", "08000000099", "058", "NO", "VERIFIED"],
    );
  }
});

test("if a member is empty under one of its names, another name is read", () => {
  const { personal_info } = vendorRecord({ phoneNumber: null, phoneNumber1: "", phone: "08000000099", gender: "f" });
  const { phone_number, gender, email } = membersIn(personal_info);
  assert.deepEqual([phone_number, gender, email], ["08000000099", "f", undefined]);
});

test("if an object has a member under two names, the usual one counts; of two objects, the first", () => {
  const [usual, other] = [
    { surname: "BELLO", lastName: "ADE" },
    { lastName: "ADE", surname: "BELLO" },
  ];
  for (const given of [usual, other]) assert.equal(vendorRecord(given).last_name, "ADE");
  const members = givenMembers([null, { surname: "BELLO", email: "" }, { lastName: "ADE", email: "a@example.com" }]);
  assert.deepEqual(members, { last_name: "BELLO", email: "a@example.com" });
});

test("membersIn returns no members of a value that is not an object", () => {
  for (const value of [undefined, null, "text", 1, ["a"]]) assert.deepEqual(membersIn(value), {});
});
