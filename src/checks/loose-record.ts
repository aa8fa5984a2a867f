import { labelOf, type PersonKind } from "../declare/check-kind.ts";
import { longDate, type PersonRecord, shortDate } from "../declare/identity-record.ts";
import type { Log } from "../runtime/log.ts";
import { plain } from "../runtime/plain-text.ts";
import type { Members } from "./check.ts";
import { parseDay } from "./days.ts";
import * as normalise from "./normalise.ts";

/**
 * The record in the interface's forms. A missing full name or service type is filled in. Any other missing member is
 * null where the interface allows null, else an empty text.
 */
export function toIdentityRecord(kind: PersonKind, record: Members, vendor: string, log: Log): PersonRecord {
  /** Tells the operator how an unreadable value looks, with nothing of the person. */
  const unread = (member: string, value: unknown) =>
    log.warn(
      { vendor, member, shape: normalise.maskedShape(value) },
      "A member of a vendor's record could not be read, and is left out",
    );
  const day = (members: Members, ...names: string[]) => {
    const given = names.filter((name) => (members[name] ?? "") !== "");
    const days = given.map((name) => {
      const value = members[name];
      const day = typeof value === "string" ? parseDay(value) : undefined;
      if (!day) unread(name, value);
      return day;
    });
    return days.find((day) => day?.isPlain) ?? days.find((day) => day !== undefined);
  };
  const person = record.personal_info as Members;
  const home = (record.residential_info ?? {}) as Members;
  const birth = day(person, "date_of_birth", "formatted_date_of_birth");
  const registration = day(record, "formatted_registration_date");
  const bank = normalise.bank(record.enrolment_bank);
  if (!bank.isKnown)
    log.warn(
      { vendor, member: "enrolment_bank", shape: normalise.maskedShape(bank.text) },
      "A vendor names a bank that Duba's table does not know: the record has it as the vendor says it",
    );
  const watchlisted = normalise.watchlisted(record.watchlisted);
  // An unknown word may mean that the person is on the list.
  if (watchlisted === undefined)
    log.error(
      { vendor, member: "watchlisted", shape: normalise.maskedShape(record.watchlisted) },
      "A vendor says in a word that Duba does not know whether somebody is on the watch list: it counts as YES",
    );
  return {
    bvn_number: plain(record.bvn_number),
    name_on_card: plain(record.name_on_card),
    enrolment_branch: plain(record.enrolment_branch),
    enrolment_bank: bank.text,
    formatted_registration_date: registration ? longDate(registration) : null,
    level_of_account: normalise.levelOfAccount(record.level_of_account),
    nin: plain(record.nin),
    watchlisted: watchlisted === undefined ? "YES" : watchlisted,
    verification_status: plain(record.verification_status),
    service_type: plain(record.service_type) || `${labelOf(kind)} Verification without Image`,
    personal_info: {
      first_name: plain(person.first_name),
      middle_name: plain(person.middle_name),
      last_name: plain(person.last_name),
      full_name: plain(person.full_name) || normalise.fullName(person.first_name, person.middle_name, person.last_name),
      email: plain(person.email),
      gender: normalise.gender(person.gender),
      phone_number: normalise.phone(person.phone_number),
      phone_number_2: normalise.phone(person.phone_number_2) || null,
      date_of_birth: birth ? shortDate(birth) : "",
      formatted_date_of_birth: birth ? longDate(birth) : "",
      lga_of_origin: plain(person.lga_of_origin),
      state_of_origin: normalise.stateName(person.state_of_origin),
      nationality: normalise.nationality(person.nationality),
      marital_status: normalise.capitalised(person.marital_status),
    },
    residential_info: {
      state_of_residence: normalise.stateName(home.state_of_residence),
      lga_of_residence: plain(home.lga_of_residence),
      residential_address: plain(home.residential_address),
    },
  };
}
