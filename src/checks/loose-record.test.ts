import assert from "node:assert/strict";
import { test } from "node:test";
import { Compile } from "typebox/compile";
import { RecordedLog } from "../runtime/recorded-log.fixture.ts";
import { assertRecord } from "../vendors/conformance.fixture.ts";
import { leastRecord } from "./least-record.ts";
import { toIdentityRecord } from "./loose-record.ts";

const validator = Compile(leastRecord("bvn"));
const least = { bvn_number: "22000000017", verification_status: "VERIFIED" };
const named = { first_name: "FAISAL", last_name: "IBEKWE" };

/** Reads a vendor's record, and collects the log lines about the record. */
function read(person: object, rest: object = {}) {
  const given = { ...least, ...rest, personal_info: { ...named, ...person } };
  assert.ok(validator.Check(given));
  const log = new RecordedLog();
  const record = toIdentityRecord("bvn", given, "vendor", log);
  assertRecord(record);
  return { record, told: log.lines.map(({ fields }) => fields) };
}
const birthOf = (person: object) => {
  const { record, told } = read(person);
  const { date_of_birth, formatted_date_of_birth } = record.personal_info;
  return { days: [date_of_birth, formatted_date_of_birth], told };
};

test("both forms of a birth date are given if either member of the vendor's record can be read", () => {
  const days = ["26-Sep-1994", "September 26, 1994"];
  for (const person of [
    { date_of_birth: "26-09-1994" },
    { date_of_birth: "26/09/1994", formatted_date_of_birth: null },
    { date_of_birth: "26-Sep-94" },
    { formatted_date_of_birth: "26 September 1994" },
    { date_of_birth: "", formatted_date_of_birth: "26-09-1994" },
  ])
    assert.deepEqual(birthOf(person), { days, told: [] });
  const told = [{ vendor: "vendor", member: "date_of_birth", shape: "99 aaaa 9999" }];
  assert.deepEqual(birthOf({ date_of_birth: "26 Satu 1994", formatted_date_of_birth: "1994-09-26" }), { days, told });
});

test("of two birth dates, the date with only one meaning counts before an ambiguous date", () => {
  const { days } = birthOf({ date_of_birth: "05/07/1994", formatted_date_of_birth: "May 7, 1994" });
  assert.deepEqual(days, ["07-May-1994", "May 7, 1994"]);
});

test("an unreadable date is logged for the operator by its shape only", () => {
  assert.deepEqual(birthOf({ date_of_birth: "09/26/1994", formatted_date_of_birth: 19940926 }), {
    days: ["", ""],
    told: [
      { vendor: "vendor", member: "date_of_birth", shape: "99/99/9999" },
      { vendor: "vendor", member: "formatted_date_of_birth", shape: "number" },
    ],
  });
});

test("an unknown word about the watch list counts as YES, with an error in the log", () => {
  assert.equal(read({}, { watchlisted: 1 }).record.watchlisted, "YES");
  assert.equal(read({}, { watchlisted: "n" }).record.watchlisted, "NO");
  assert.deepEqual(read({}, { watchlisted: null }).told, []);
  for (const [given, shape] of [
    ["See note 12", "aaa aaaa 99"],
    ["WATCHLISTED", "aaaaaaaaaaa"],
    [{ status: "YES" }, "object"],
  ] as const) {
    const { record, told } = read({}, { watchlisted: given });
    assert.equal(record.watchlisted, "YES");
    assert.deepEqual(told, [{ vendor: "vendor", member: "watchlisted", shape }]);
  }
});

test("a record has a bank's code even if the vendor gives the bank's number or name", () => {
  for (const bank of ["058", 58, "58", "Guaranty Trust Bank", "GUARANTY TRUST BANK"])
    assert.equal(read({}, { enrolment_bank: bank }).record.enrolment_bank, "058");
  for (const bank of ["A bank of tomorrow", "999"])
    assert.equal(read({}, { enrolment_bank: bank }).record.enrolment_bank, bank);
});

test("a paid answer is accepted even if minor members are missing or unreadable", () => {
  const { record } = read(
    { email: {}, gender: ["M"], phone_number: 8000000017, middle_name: false, lga_of_origin: 7 },
    {
      bvn_number: 22000000017,
      nin: 12345678901,
      residential_info: null,
      enrolment_bank: {},
      verification_status: "VERIFIED",
    },
  );
  assert.equal(record.bvn_number, "22000000017");
  assert.equal(record.nin, "12345678901");
  assert.equal(record.personal_info.phone_number, "08000000017");
  assert.deepEqual(record.residential_info, { state_of_residence: "", lga_of_residence: "", residential_address: "" });
});

test("the record of a NIN requires the NIN but no BVN, and states the kind of check", () => {
  const { bvn_number, ...person } = { ...least, nin: "00123456789", personal_info: named };
  assert.ok(Compile(leastRecord("nin")).Check(person));
  assert.ok(!Compile(leastRecord("nin")).Check({ ...person, nin: null, bvn_number }));
  const record = toIdentityRecord("nin", person, "vendor", new RecordedLog());
  assert.deepEqual(
    [record.nin, record.bvn_number, record.service_type],
    ["00123456789", "", "NIN Verification without Image"],
  );
});

test("a record without a BVN, a status or a name is refused", () => {
  const person = { ...least, personal_info: named };
  assert.ok(validator.Check(person));
  assert.ok(validator.Check({ ...person, personal_info: { first_name: null, last_name: "IBEKWE" } }));
  assert.ok(validator.Check({ ...person, personal_info: { full_name: "FAISAL IBEKWE" } }));
  for (const nobody of [
    { ...person, bvn_number: null },
    { ...person, verification_status: undefined },
    { ...person, personal_info: null },
    { ...person, personal_info: { first_name: " ", last_name: "" } },
  ])
    assert.ok(!validator.Check(nobody));
});
