import type { Members } from "../../checks/check.ts";

/** Returns an object's members; none for other values. */
export function membersIn(value: unknown): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

/**
 * How vendors spell the members of a record, in lower case and without separators. If a vendor gives two of them, the
 * one listed first counts.
 */
const spellings: Readonly<Record<string, readonly string[]>> = {
  bvn_number: ["bvn", "bvnnumber"],
  nin: ["nin"],
  name_on_card: ["nameoncard"],
  enrolment_branch: ["enrolmentbranch", "enrollmentbranch"],
  enrolment_bank: ["enrolmentbank", "enrollmentbank", "enrollmentinstitution"],
  formatted_registration_date: ["formattedregistrationdate", "registrationdate"],
  level_of_account: ["levelofaccount", "accountlevel"],
  watchlisted: ["watchlisted"],
  first_name: ["firstname"],
  middle_name: ["middlename"],
  last_name: ["lastname", "surname"],
  full_name: ["fullname"],
  email: ["email"],
  gender: ["gender"],
  phone_number: ["phonenumber", "phonenumber1", "phone", "mobile", "telephoneno", "trustednumber"],
  phone_number_2: ["phonenumber2", "alternatephone", "othermobile"],
  date_of_birth: ["dateofbirth", "birthdate", "dob"],
  lga_of_origin: ["lgaoforigin", "selforiginlga"],
  state_of_origin: ["stateoforigin", "selforiginstate"],
  nationality: ["nationality"],
  marital_status: ["maritalstatus"],
  state_of_residence: ["stateofresidence", "residencestate"],
  lga_of_residence: ["lgaofresidence", "residencelga"],
  residential_address: ["residentialaddress", "residenceaddressline1", "residenceadressline1"],
};

/** A spelling's member, and its rank among the spellings of that member. */
interface Spelling {
  member: string;
  /** The member's index in `spellings`. */
  at: number;
  place: number;
}

const known = new Map(
  Object.entries(spellings).flatMap(([member, names], at) =>
    names.map((name, place): [string, Spelling] => [name, { member, at, place }]),
  ),
);

/** Cache of names in vendors' answers, which repeat. */
const written = new Map<string, Spelling | undefined>();
const mostWritten = 2_000;

function spellingOf(name: string): Spelling | undefined {
  const found = written.get(name);
  if (found !== undefined || written.has(name)) return found;
  const spelling = known.get(name.replaceAll(/[_\W]/g, "").toLowerCase());
  // Bounded: a hostile server could send any number of long names.
  if (written.size < mostWritten && name.length <= 100) written.set(name, spelling);
  return spelling;
}

/**
 * Returns the members of a vendor's objects under the interface's names. If several objects give a member, the first
 * one counts.
 */
export function givenMembers(objects: readonly unknown[]): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const object of objects) {
    const given = membersIn(object);
    const places: (number | undefined)[] = [];
    for (const name of Object.keys(given)) {
      const value = given[name];
      if (value === undefined || value === null || value === "") continue;
      const spelling = spellingOf(name);
      if (spelling === undefined) continue;
      const { member, at, place } = spelling;
      const before = places[at];
      if (before === undefined ? member in members : before < place) continue;
      places[at] = place;
      members[member] = value;
    }
  }
  return members;
}

/** Builds a record from members, whichever part they belong to. */
export function recordWith(members: Members): Members {
  return { verification_status: "VERIFIED", ...members, personal_info: members, residential_info: members };
}

/**
 * Builds a record from a vendor's members. For vendors that answer with a record or a failure, without a verification
 * status.
 */
export function vendorRecord(given: Members): Members {
  return recordWith(givenMembers([given]));
}
