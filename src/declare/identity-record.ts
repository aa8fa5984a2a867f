import type { Static } from "typebox";
import Type from "./schema/type.ts";

const text = (description: string) => Type.String({ description });
const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const PersonalInfo = Type.Object(
  {
    first_name: text("First name"),
    middle_name: text("Middle name"),
    last_name: text("Last name"),
    full_name: text("First, middle and last name"),
    email: text("E-mail address; may be empty"),
    gender: text("Male or Female"),
    phone_number: text("Phone number, in the form 08012345678"),
    phone_number_2: textOrNull("Second phone number"),
    date_of_birth: text("DD-Mon-YYYY, for example 29-Jul-1982"),
    formatted_date_of_birth: text("Month D, YYYY, for example July 29, 1982"),
    lga_of_origin: text("Local government area of origin"),
    state_of_origin: text("State of origin, for example Lagos State"),
    nationality: text("Nationality"),
    marital_status: text("Single, Married, …"),
  },
  { title: "PersonalInfo" },
);

export const ResidentialInfo = Type.Object(
  {
    state_of_residence: text("State of residence, for example Lagos State"),
    lga_of_residence: text("Local government area of residence"),
    residential_address: text("Address"),
  },
  { title: "ResidentialInfo" },
);

/** The record of a person: members in the documented order, without Duba's reference. */
export const PersonRecord = Type.Object(
  {
    bvn_number: text("The BVN"),
    name_on_card: text("Name on the BVN card"),
    enrolment_branch: text("Bank branch of enrolment"),
    enrolment_bank: text("Three-digit bank code"),
    formatted_registration_date: textOrNull("Date of registration"),
    level_of_account: text("For example Level 1 - Low Level Accounts"),
    nin: text("National identification number; may be empty"),
    watchlisted: textOrNull("YES, NO or null"),
    verification_status: text("VERIFIED"),
    service_type: text("The kind of verification"),
    personal_info: PersonalInfo,
    residential_info: ResidentialInfo,
  },
  { title: "IdentityRecord" },
);

export type PersonRecord = Static<typeof PersonRecord>;

/** Months as records spell them. */
export const months = "January February March April May June July August September October November December".split(
  " ",
);

/** `month` counts from 0. */
interface RecordDay {
  day: number;
  month: number;
  year: number;
}

/** Formats a day as `29-Jul-1982`. */
export function shortDate({ day, month, year }: RecordDay): string {
  return `${String(day).padStart(2, "0")}-${months[month]!.slice(0, 3)}-${year}`;
}

/** Formats a day as `July 29, 1982`. */
export function longDate({ day, month, year }: RecordDay): string {
  return `${months[month]} ${day}, ${year}`;
}
