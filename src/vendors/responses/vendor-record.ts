import type { Members } from "../../checks/check.ts";

/** The members of an object; none of anything else. */
export function membersIn(value: unknown): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

/**
 * How vendors spell the members of a record, in lower case and without separators. Of two that are given the first
 * counts.
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

/**
 * A vendor's members under the interface's names, whichever part of the record they belong to. For a vendor that gives
 * a record or a failure, and no status of its own.
 */
export function vendorRecord(given: Members): Members {
  const found = new Map(
    Object.entries(given).map(([name, value]) => [name.replaceAll(/[_\W]/g, "").toLowerCase(), value]),
  );
  const isGiven = (value: unknown) => value !== undefined && value !== null && value !== "";
  const members = Object.fromEntries(
    Object.entries(spellings).map(([member, names]) => [member, names.map((name) => found.get(name)).find(isGiven)]),
  );
  return { verification_status: "VERIFIED", ...members, personal_info: members, residential_info: members };
}
