import Type from "typebox";
import { amountField, phoneField } from "../../operation/fields.ts";
import { operation } from "../../operation/operation.ts";
import { person } from "../../upstreams/sandbox/people.ts";
import { nin } from "../checks/nin/index.ts";
import type { Identity } from "../identity.ts";
import { verificationOperation, verifyPerson } from "./verify-person.ts";

const message = "NIN Verification Completed Successfully";

const ninAmountField = { ...amountField, description: "Amount in naira: the fee of a verified NIN." };

export const verifyNin = operation({
  ...verificationOperation("nin"),
  id: "verifyNin",
  path: "/api/v2/kyc/verify-nin",
  summary: "Verify a NIN",
  description:
    "Verifies a customer's NIN and phone number and returns the identity record that `verifyBvn` returns, with the NIN in " +
    "`nin` and an empty `bvn_number`. What only a BVN has, such as the bank of enrolment, may be empty. `amount` is the fee " +
    "of a verified NIN. All else is as with `verifyBvn`.",
  documented: false,
  input: Type.Object({ nin: nin.field, phone: phoneField, amount: ninAmountField }),
  examples: [
    {
      summary: "An invented person of the sandbox",
      input: { nin: "00123456789", phone: "08000000017", amount: "100" },
      answer: {
        success: true,
        message,
        data: { request_reference: "3wKwKW719640695", ...person("nin", "00123456789", "8000000017") },
      },
    },
  ],
  run: (call, identity: Identity) => verifyPerson("nin", call, identity, message),
});
