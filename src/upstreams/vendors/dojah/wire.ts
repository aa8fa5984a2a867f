import Type, { type Static } from "typebox";
import { mayLack, needed } from "../../loose-record.ts";
import type { IdentityOutcome } from "../../ports/identity-upstream.ts";
import { badResponse, failedWith, saysNoMoney, unavailable } from "../../ports/outcomes.ts";

/** A person found. `image` and `title` come too and are left behind. */
export const DojahResponse = Type.Object({
  entity: Type.Object({
    bvn: needed,
    first_name: mayLack,
    last_name: mayLack,
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
    watch_listed: mayLack,
  }),
});

/** The person under the interface's names. */
export function looseRecordIn({ entity }: Static<typeof DojahResponse>) {
  return {
    bvn_number: entity.bvn,
    name_on_card: entity.name_on_card,
    enrolment_branch: entity.enrollment_branch,
    enrolment_bank: entity.enrollment_bank,
    formatted_registration_date: entity.registration_date,
    level_of_account: entity.level_of_account,
    nin: entity.nin,
    watchlisted: entity.watch_listed,
    // Dojah gives a record or an error, and no status of its own.
    verification_status: "VERIFIED",
    personal_info: {
      first_name: entity.first_name,
      middle_name: entity.middle_name,
      last_name: entity.last_name,
      email: entity.email,
      gender: entity.gender,
      phone_number: entity.phone_number1,
      phone_number_2: entity.phone_number2,
      date_of_birth: entity.date_of_birth,
      lga_of_origin: entity.lga_of_origin,
      state_of_origin: entity.state_of_origin,
      nationality: entity.nationality,
      marital_status: entity.marital_status,
    },
    residential_info: {
      state_of_residence: entity.state_of_residence,
      lga_of_residence: entity.lga_of_residence,
      residential_address: entity.residential_address,
    },
  };
}

/** The `error` of an answer; null, false and an empty text say that there is none. */
export function errorIn(body: unknown): unknown {
  return (body as { error?: unknown } | null | undefined)?.error || undefined;
}

/**
 * What an answer with an `error` comes to. An unknown BVN is documented as 400 with the text "BVN not found", and 404 as
 * "URL not recognized" or "Records not found", so only that text tells it from a question that was wrong.
 */
export function outcomeOfFailure(status: number, body: unknown): IdentityOutcome {
  const error = errorIn(body);
  if (status < 500 && typeof error === "string" && /\b(bvn|records?) not found/i.test(error))
    return { kind: "not_found" };
  if (status < 500 && saysNoMoney(body)) return unavailable("no_money");
  return status < 300 ? badResponse("failure") : failedWith(status);
}
