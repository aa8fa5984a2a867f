import Type, { type Static } from "typebox";
import * as forms from "./forms.ts";
import type { IdentityAnswer } from "./identity-upstream.ts";

/** A text that a vendor may leave out or give as null: a paid answer is not thrown away for that. */
export const mayLack = Type.Optional(Type.Union([Type.String(), Type.Null(), Type.Undefined()]));

/** The interface document leaves the type of this one open. */
export const watchlisted = Type.Optional(Type.Union([Type.String(), Type.Boolean(), Type.Null(), Type.Undefined()]));

/** A record under the interface's own names. Without the required members it is nobody's. */
export const LooseRecord = Type.Object({
  bvn_number: Type.String(),
  name_on_card: mayLack,
  enrolment_branch: mayLack,
  enrolment_bank: mayLack,
  formatted_registration_date: mayLack,
  level_of_account: mayLack,
  nin: mayLack,
  watchlisted,
  verification_status: Type.String(),
  service_type: mayLack,
  personal_info: Type.Object({
    first_name: Type.String(),
    middle_name: mayLack,
    last_name: Type.String(),
    full_name: mayLack,
    email: mayLack,
    gender: mayLack,
    phone_number: mayLack,
    phone_number_2: mayLack,
    date_of_birth: mayLack,
    formatted_date_of_birth: mayLack,
    lga_of_origin: mayLack,
    state_of_origin: mayLack,
    nationality: mayLack,
    marital_status: mayLack,
  }),
  residential_info: Type.Optional(
    Type.Object({
      state_of_residence: mayLack,
      lga_of_residence: mayLack,
      residential_address: mayLack,
    }),
  ),
});

/** The record in the interface's forms; what is missing is null where the interface allows null, else an empty text. */
export function recordOf({ personal_info: person, residential_info: home, ...rest }: Static<typeof LooseRecord>) {
  const birth = person.date_of_birth || person.formatted_date_of_birth;
  return {
    bvn_number: rest.bvn_number,
    name_on_card: forms.plain(rest.name_on_card),
    enrolment_branch: forms.plain(rest.enrolment_branch),
    enrolment_bank: forms.plain(rest.enrolment_bank),
    formatted_registration_date: forms.longDate(rest.formatted_registration_date) || null,
    level_of_account: forms.levelOfAccount(rest.level_of_account),
    nin: forms.plain(rest.nin),
    watchlisted: forms.watchlisted(rest.watchlisted),
    verification_status: rest.verification_status,
    service_type: forms.plain(rest.service_type) || "BVN Verification without Image",
    personal_info: {
      first_name: forms.plain(person.first_name),
      middle_name: forms.plain(person.middle_name),
      last_name: forms.plain(person.last_name),
      full_name:
        forms.plain(person.full_name) || forms.fullName(person.first_name, person.middle_name, person.last_name),
      email: forms.plain(person.email),
      gender: forms.gender(person.gender),
      phone_number: forms.phone(person.phone_number),
      phone_number_2: forms.phone(person.phone_number_2) || null,
      date_of_birth: forms.shortDate(birth),
      formatted_date_of_birth: forms.longDate(birth),
      lga_of_origin: forms.plain(person.lga_of_origin),
      state_of_origin: forms.state(person.state_of_origin),
      nationality: forms.nationality(person.nationality),
      marital_status: forms.capitalised(person.marital_status),
    },
    residential_info: {
      state_of_residence: forms.state(home?.state_of_residence),
      lga_of_residence: forms.plain(home?.lga_of_residence),
      residential_address: forms.plain(home?.residential_address),
    },
  } satisfies IdentityAnswer;
}
