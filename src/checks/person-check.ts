import { claimOf, labelOf, numberMember, type PersonKind } from "../declare/check-kind.ts";
import { digitsOf, elevenDigitsField, lenientField, phoneField, phoneOf } from "../declare/fields.ts";
import { PersonRecord } from "../declare/identity-record.ts";
import type { Check } from "./check.ts";
import { leastRecord } from "./least-record.ts";
import { maskRecord } from "./mask-record.ts";

/**
 * Makes the check of a person by a number of 11 digits and a phone. `withheld`: members that always have these values
 * in the record for the API client, whatever a vendor sends.
 */
export function personCheck(
  kind: PersonKind,
  { example, withheld = {} }: { example: string; withheld?: Partial<PersonRecord> },
): Check<PersonRecord> {
  const member = numberMember(kind);
  const label = labelOf(kind);
  return {
    kind,
    request: {
      [kind]: { label, schema: elevenDigitsField(`Customer ${label}: 11 digits.`, example), valueIn: digitsOf },
      phone: { label: claimOf(kind), schema: phoneField, valueIn: phoneOf },
    },
    subject: [kind],
    example: { [kind]: example, phone: "08000000017" },
    record: PersonRecord,
    least: leastRecord(kind),
    async read(given, { vendor, log }) {
      return (await reading()).toIdentityRecord(kind, given, vendor, log);
    },
    confirm(given, { number, claims }, { phoneMatch }) {
      if (given.verification_status.toUpperCase() !== "VERIFIED") return { rejected: "not_verified" };
      if (!isSameNumber(given[member], number)) return { rejected: "other_number" };
      const record = { ...given, verification_status: "VERIFIED", ...withheld, [member]: number };
      const phones = phonesOf(record);
      if (!phoneMatch || phones.includes(claims.phone!)) return { record };
      return { negative: phones.length === 0 ? "no_phone" : "phone_mismatch" };
    },
    mask: (record) => maskRecord(record, member),
    compared: {
      first_name: lenientField("First name of the customer, to compare it with the record."),
      last_name: lenientField("Last name of the customer, to compare it with the record."),
      date_of_birth: lenientField("Birth date of the customer, such as 1982-07-29, to compare it with the record."),
    },
    async compare(record, sent) {
      return (await comparing()).comparePerson(record, sent);
    },
    async isAbout(text, sent) {
      return (await import("./text-about-person.ts")).isAboutPerson(text, sent);
    },
    reserved: (nth) => String(nth).padStart(example.length, "0"),
    async sandbox({ number, claims }, variant) {
      // An `import` takes as long as inventing a person, so it is done once.
      people ??= import("./invented-person.ts");
      const { inventedPerson } = await people;
      const person = inventedPerson(kind, number, claims.phone!);
      if (variant === "watchlisted") return { ...person, watchlisted: "YES" };
      return variant === "least" ? { ...leastOf(person), [member]: number } : person;
    },
  };
}

let people: Promise<typeof import("./invented-person.ts")> | undefined;

let records: Promise<typeof import("./loose-record.ts")> | undefined;

const reading = () => (records ??= import("./loose-record.ts"));

let comparison: Promise<typeof import("./compare-person.ts")> | undefined;

const comparing = () => (comparison ??= import("./compare-person.ts"));

/** The record without the members that a person may lack. For a NIN, this also clears the number. */
function leastOf(record: PersonRecord): PersonRecord {
  return {
    ...record,
    formatted_registration_date: null,
    nin: "",
    watchlisted: null,
    personal_info: { ...record.personal_info, email: "", phone_number_2: null },
  };
}

/**
 * Whether a record's number is the requested one. Some vendors mask the number: then all visible digits, at least four,
 * must agree.
 */
function isSameNumber(found: string, asked: string): boolean {
  if (found === asked) return true;
  if (found.length !== asked.length || !/^[\d*xX#•]+$/.test(found)) return false;
  const visible = [...found].map((digit, at) => [digit, asked[at]]).filter(([digit]) => /\d/.test(digit!));
  return visible.length >= 4 && visible.every(([digit, own]) => digit === own);
}

/** The ten last digits of each phone number on a record. */
function phonesOf({ personal_info: { phone_number, phone_number_2 } }: PersonRecord): string[] {
  const phones: string[] = [];
  for (const own of [phone_number, phone_number_2]) {
    const digits = own?.replace(/\D/g, "").slice(-10);
    if (digits) phones.push(digits);
  }
  return phones;
}
