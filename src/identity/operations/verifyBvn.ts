import Type from "typebox";
import { amountField, phoneField } from "../../operation/fields.ts";
import { operation } from "../../operation/operation.ts";
import { person } from "../../upstreams/sandbox/people.ts";
import { bvn } from "../checks/bvn/index.ts";
import type { Identity } from "../identity.ts";
import { verificationOperation, verifyPerson } from "./verify-person.ts";

const message = "BVN Verification Completed Successfully";

export const verifyBvn = operation({
  ...verificationOperation("bvn"),
  id: "verifyBvn",
  path: "/api/v2/kyc/verify-bvn",
  summary: "Verify a BVN",
  description:
    "Verifies a customer's BVN and phone number and returns the identity record. Send an `Idempotency-Key`: a retry " +
    "with it is answered with the same verification, and charged once. Only a verified record is charged. With test " +
    "keys every person is invented.",
  documented: true,
  input: Type.Object({ bvn: bvn.field, phone: phoneField, amount: amountField }),
  examples: [
    {
      summary: "An invented person of the sandbox",
      input: { bvn: "22000000017", phone: "08000000017", amount: "100" },
      answer: {
        success: true,
        message,
        data: { request_reference: "3wKwKW719640695", ...person("bvn", "22000000017", "8000000017") },
      },
    },
  ],
  run: (call, identity: Identity) => verifyPerson("bvn", call, identity, message),
});
