import { amountField } from "../../declare/fields.ts";
import { verificationOperation } from "./verify-person.ts";

export const verifyBvn = verificationOperation("bvn", {
  id: "verifyBvn",
  description:
    "Verifies a customer's BVN and phone number and returns the identity record. Send an `Idempotency-Key`: " +
    "a retry with it is answered with the same verification, and charged once. Only a verified record is charged. " +
    "The header `Duba-Match` says what `first_name`, `last_name` and `date_of_birth` have in common with the " +
    "record, if you send them: /docs/names has the rules. With test keys every person is invented.",
  documented: true,
  amount: amountField,
});
