import { amountField } from "../../declare/fields.ts";
import { verificationOperation } from "./verify-person.ts";

export const verifyNin = verificationOperation("nin", {
  id: "verifyNin",
  description:
    "Verifies a customer's NIN and phone number and returns the identity record that `verifyBvn` returns, " +
    "with the NIN in `nin` and an empty `bvn_number`. What only a BVN has, such as the bank of enrolment, " +
    "may be empty. `amount` is the fee of a verified NIN. All else is as with `verifyBvn`.",
  amount: { ...amountField, description: "Amount in naira: the fee of a verified NIN." },
});
