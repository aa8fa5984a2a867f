import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { Compile } from "typebox/compile";
import banks from "../../../data/people/banks.json" with { type: "json" };
import areas from "../../../data/people/local-government-areas.json" with { type: "json" };
import { referenceYear } from "../../checks/invented-person.ts";
import { personOf } from "../../checks/kinds.fixture.ts";
import { PersonalInfo, PersonRecord, ResidentialInfo } from "../../declare/identity-record.ts";
import type { IdentityOutcome } from "../ports/identity-upstream.ts";
import { negative } from "../ports/outcomes.ts";
import { sandbox } from "./index.ts";
import { sandboxNumbers } from "./numbers.ts";

const upstream = sandbox();
const never = new AbortController().signal;
const ask = (number: string, phone = "8012345678", signal = never) =>
  upstream.verify({ kind: "bvn", number, claims: { phone }, reference: "aaaaaa000000000", signal });

function toIdentityRecord(outcome: IdentityOutcome): PersonRecord {
  assert.ok(outcome.state === "verified");
  return personOf(outcome.record);
}

const elevenDigits = fc.stringMatching(/^[0-9]{11}$/);
const tenDigits = fc.stringMatching(/^[0-9]{10}$/);
const isReserved = (bvn: string) => sandboxNumbers("bvn").some(({ number }) => number === bvn);

test("the sandbox's number 00000000003 is on the watchlist", async () => {
  assert.equal(toIdentityRecord(await ask("00000000003")).watchlisted, "YES");
});

test("the sandbox's number 00000000004 has null or empty text in every member that allows it", async () => {
  const record = toIdentityRecord(await ask("00000000004"));
  const blank = (members: object) => Object.entries(members).filter(([, value]) => value === null || value === "");
  assert.deepEqual(Object.fromEntries(blank(record)), {
    formatted_registration_date: null,
    nin: "",
    watchlisted: null,
  });
  assert.deepEqual(Object.fromEntries(blank(record.personal_info)), { email: "", phone_number_2: null });
  assert.deepEqual(blank(record.residential_info), []);
  documentedOrder(record);
});

test("sandbox numbers 00000000012 and 13 are unknown until a retry or a look-up with their reference", async () => {
  for (const [number, state] of [
    ["00000000012", "verified"],
    ["00000000013", "negative"],
  ] as const) {
    const { reference: vendorReference = "", ...outcome } = await ask(number);
    assert.deepEqual(outcome, { state: "unknown", reason: "unclear" });
    assert.doesNotMatch(vendorReference, /\d/);
    const asked = { ...attempt(number, "8012345678"), vendorReference };
    assert.equal((await upstream.verify(asked)).state, state);
    const { reference, signal } = asked;
    const known = state === "verified" ? { state: "unknown", reason: "unclear" } : negative("not_found");
    assert.deepEqual(await sandbox().lookUp!({ reference, signal, vendorReference }), known);
    assert.deepEqual(await sandbox().lookUp!({ reference, signal }), { state: "unknown", reason: "unclear" });
  }
});

/** Returns the outcome, or "waiting" if the promise is pending after all due timers. */
async function settled(promise: Promise<IdentityOutcome>): Promise<IdentityOutcome | "waiting"> {
  const turn = new Promise<"waiting">((resolve) => setImmediate(resolve, "waiting"));
  return Promise.race([promise, turn]);
}

test("an abort ends the delay of the sandbox's number 00000000008 with an unknown outcome", async (t: TestContext) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const limit = new AbortController();
  const outcome = ask("00000000008", "8012345678", limit.signal);
  t.mock.timers.tick(1000);
  assert.equal(await settled(outcome), "waiting");
  limit.abort();
  assert.deepEqual(await settled(outcome), { state: "unknown", reason: "unclear" });
  assert.deepEqual(await ask("00000000008", "8012345678", AbortSignal.abort()), {
    state: "unknown",
    reason: "unclear",
  });
});

test("a sandbox number is always the same person, with the phone of the request", async () => {
  await fc.assert(
    fc.asyncProperty(elevenDigits, tenDigits, tenDigits, async (bvn, one, other) => {
      fc.pre(!isReserved(bvn));
      const [first, second] = [
        toIdentityRecord(await ask(bvn, one)),
        toIdentityRecord(await sandbox().verify(attempt(bvn, other))),
      ];
      assert.equal(first.personal_info.phone_number, `0${one}`);
      assert.equal(second.personal_info.phone_number, `0${other}`);
      second.personal_info.phone_number = first.personal_info.phone_number;
      assert.deepEqual(first, second);
    }),
  );
});

const attempt = (number: string, phone: string) => ({
  kind: "bvn" as const,
  number,
  claims: { phone },
  reference: "bbbbbb000000000",
  signal: never,
});

const responses = Compile(PersonRecord);

function documentedOrder(record: PersonRecord): void {
  assert.deepEqual(Object.keys(record), Object.keys(PersonRecord.properties));
  assert.deepEqual(Object.keys(record.personal_info), Object.keys(PersonalInfo.properties));
  assert.deepEqual(Object.keys(record.residential_info), Object.keys(ResidentialInfo.properties));
}

const lgas = new Set(areas.map(({ state, lga }) => `${state}: ${lga}`));
const bankCodes = new Set(banks.map((bank) => bank.code));
const longDate = /^[A-Z][a-z]{2,8} [1-9]\d?, \d{4}$/;

test("the sandbox verifies any well-formed BVN as an adult, in the documented forms", async () => {
  await fc.assert(
    fc.asyncProperty(elevenDigits, tenDigits, async (bvn, phone) => {
      fc.pre(!isReserved(bvn));
      const record = toIdentityRecord(await ask(bvn, phone));
      const { personal_info: info, residential_info: home } = record;
      assert.ok(responses.Check(record));
      documentedOrder(record);

      assert.equal(record.bvn_number, bvn);
      assert.equal(record.verification_status, "VERIFIED");
      assert.equal(record.service_type, "BVN Verification without Image");
      assert.ok(bankCodes.has(record.enrolment_bank));
      assert.match(record.nin, /^(\d{11})?$/);
      assert.ok(record.watchlisted === null || record.watchlisted === "NO");
      assert.match(record.level_of_account, /^Level 1 - Low Level Accounts$|^Level 2 - Medium Level Accounts$/);

      for (const name of [info.first_name, info.middle_name, info.last_name]) assert.match(name, /^[A-Z]+$/);
      assert.equal(new Set([info.first_name, info.middle_name, info.last_name]).size, 3);
      assert.equal(info.full_name, `${info.first_name} ${info.middle_name} ${info.last_name}`);
      assert.equal(record.name_on_card, `${info.last_name} ${info.middle_name} ${info.first_name}`);
      assert.match(info.email, /^([a-z]+\.[a-z]+@example\.com)?$/);
      assert.match(info.gender, /^(Male|Female)$/);
      assert.equal(info.phone_number, `0${phone}`);
      assert.match(info.phone_number_2 ?? "08000000000", /^0800\d{7}$/);
      assert.match(info.marital_status, /^(Single|Married)$/);
      assert.ok(lgas.has(`${info.state_of_origin}: ${info.lga_of_origin}`));
      assert.ok(lgas.has(`${home.state_of_residence}: ${home.lga_of_residence}`));
      assert.match(home.residential_address, /^[1-9]\d{0,2} [A-Z][A-Za-z ]+, \S/);

      assert.match(info.date_of_birth, /^\d{2}-[A-Z][a-z]{2}-\d{4}$/);
      assert.match(info.formatted_date_of_birth, longDate);
      const birth = Date.parse(`${info.formatted_date_of_birth} UTC`);
      assert.equal(Date.parse(`${info.date_of_birth.replaceAll("-", " ")} UTC`), birth);
      const year = new Date(birth).getUTCFullYear();
      assert.ok(referenceYear - year >= 19 && referenceYear - year <= 80);
      if (record.formatted_registration_date !== null) {
        assert.match(record.formatted_registration_date, longDate);
        assert.ok(Number(record.formatted_registration_date.slice(-4)) >= Math.max(2015, year + 18));
      }
    }),
    { numRuns: 500 },
  );
});

test("a sandbox number gives the same person in every release", async () => {
  const { personal_info: info, ...record } = toIdentityRecord(await ask("22000000017"));
  assert.deepEqual(
    [record.name_on_card, record.enrolment_bank, record.nin, record.formatted_registration_date],
    ["IBEKWE EMEKA FAISAL", "044", "", "January 20, 2023"],
  );
  assert.deepEqual(
    [info.date_of_birth, info.state_of_origin, info.lga_of_origin],
    ["20-Nov-1995", "Kano State", "Doguwa"],
  );
  assert.equal(record.residential_info.residential_address, "23 Mission Street, Owerri Municipal");
});

test("the sandbox's invented people differ, and some of them have optional members", async () => {
  const records = await Promise.all(
    Array.from({ length: 300 }, async (_, n) => toIdentityRecord(await ask(String(22_000_000_100 + n)))),
  );
  const kinds = (of: (record: PersonRecord) => unknown) => new Set(records.map(of)).size;
  assert.ok(kinds((record) => record.name_on_card) > 290);
  assert.ok(kinds((record) => record.personal_info.state_of_origin) > 30);
  const either: ((record: PersonRecord) => unknown)[] = [
    (record) => record.personal_info.gender,
    (record) => record.watchlisted,
    (record) => record.nin === "",
    (record) => record.personal_info.email === "",
    (record) => record.personal_info.phone_number_2 === null,
    (record) => record.formatted_registration_date === null,
  ];
  for (const of of either) assert.equal(kinds(of), 2, String(of));
});
