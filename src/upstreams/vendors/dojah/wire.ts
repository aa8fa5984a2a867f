import type { Static } from "typebox";
import Type from "../../../operation/schema/type.ts";
import type { IdentityOutcome } from "../../ports/identity-upstream.ts";
import { badResponse, failedWith, saysNoMoney, unavailable } from "../../ports/outcomes.ts";

/** A person. All members are optional here: the record that we make of them is checked. */
export const DojahResponse = Type.Object({ entity: Type.Record(Type.String(), Type.Unknown()) });

/** The person under the interface's names. We drop the photo. */
export function recordIn({ entity }: Static<typeof DojahResponse>) {
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

/**
 * The outcome of a response with a failure's status or an `error`. Dojah documents an unknown BVN as 400 with the text "BVN
 * not found", and 404 as "URL not recognized" or "Records not found", so only that text proves an unknown BVN.
 */
export function failureIn(status: number, body: unknown): IdentityOutcome | undefined {
  // Null, false and an empty text mean that there is no error.
  const error = (body as { error?: unknown } | null | undefined)?.error || undefined;
  if (status < 300 && error === undefined) return undefined;
  if (status < 500 && typeof error === "string" && /\b(bvn|records?) not found/i.test(error))
    return { kind: "negative", reason: "not_found" };
  if (status < 500 && saysNoMoney(body)) return unavailable("no_money");
  return status < 300 ? badResponse("failure") : failedWith(status);
}
