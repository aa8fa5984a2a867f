import Type, { type Static } from "typebox";
import * as forms from "../forms.ts";
import type { IdentityAnswer, IdentityOutcome } from "../identity-upstream.ts";
import { mayLack } from "../loose-record.ts";
import { badResponse, failedWith } from "../outcomes.ts";

/** A person found. `image` and `title` come too and are left behind. */
export const Found = Type.Object({
  entity: Type.Object({
    bvn: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    middle_name: mayLack,
    gender: mayLack,
    date_of_birth: mayLack,
    phone_number1: mayLack,
    phone_number2: mayLack,
    email: mayLack,
    enrollment_bank: mayLack,
    enrollment_branch: mayLack,
    level_of_account: mayLack,
    lga_of_origin: mayLack,
    lga_of_residence: mayLack,
    marital_status: mayLack,
    name_on_card: mayLack,
    nationality: mayLack,
    nin: mayLack,
    registration_date: mayLack,
    residential_address: mayLack,
    state_of_origin: mayLack,
    state_of_residence: mayLack,
    watch_listed: Type.Optional(Type.Union([Type.String(), Type.Boolean(), Type.Null()])),
  }),
});

export function recordOf({ entity }: Static<typeof Found>): IdentityAnswer {
  return {
    bvn_number: entity.bvn,
    name_on_card: forms.plain(entity.name_on_card),
    enrolment_branch: forms.plain(entity.enrollment_branch),
    enrolment_bank: forms.plain(entity.enrollment_bank),
    formatted_registration_date: forms.longDate(entity.registration_date) || null,
    level_of_account: forms.levelOfAccount(entity.level_of_account),
    nin: forms.plain(entity.nin),
    watchlisted: forms.watchlisted(entity.watch_listed),
    // Dojah gives a record or an error, and no status of its own.
    verification_status: "VERIFIED",
    service_type: forms.serviceType,
    personal_info: {
      first_name: forms.plain(entity.first_name),
      middle_name: forms.plain(entity.middle_name),
      last_name: forms.plain(entity.last_name),
      full_name: forms.fullName(entity.first_name, entity.middle_name, entity.last_name),
      email: forms.plain(entity.email),
      gender: forms.gender(entity.gender),
      phone_number: forms.phone(entity.phone_number1),
      phone_number_2: forms.phone(entity.phone_number2) || null,
      date_of_birth: forms.shortDate(entity.date_of_birth),
      formatted_date_of_birth: forms.longDate(entity.date_of_birth),
      lga_of_origin: forms.plain(entity.lga_of_origin),
      state_of_origin: forms.state(entity.state_of_origin),
      nationality: forms.nationality(entity.nationality),
      marital_status: forms.capitalised(entity.marital_status),
    },
    residential_info: {
      state_of_residence: forms.state(entity.state_of_residence),
      lga_of_residence: forms.plain(entity.lga_of_residence),
      residential_address: forms.plain(entity.residential_address),
    },
  };
}

/**
 * What an answer with an `error` comes to. An unknown BVN is documented as 400 with the text "BVN not found", and 404 as
 * "URL not recognized" or "Records not found", so only that text tells it from a question that was wrong.
 */
export function failureOf(status: number, error: unknown): IdentityOutcome {
  if (status < 500 && typeof error === "string" && /\b(bvn|records?) not found/i.test(error))
    return { kind: "not_found" };
  return status < 300 ? badResponse : failedWith(status);
}
