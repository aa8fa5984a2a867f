import Type from "typebox";
import { amountField, phoneField } from "../../operation/fields.ts";
import type { IdentityRecord } from "../../operation/identity-record.ts";
import { operation } from "../../operation/operation.ts";
import { bvn } from "../checks/bvn/index.ts";
import type { Identity } from "../identity.ts";
import { verificationOperation, verifyPerson } from "./verify-person.ts";

const message = "BVN Verification Completed Successfully";

const invented: IdentityRecord = {
  request_reference: "3wKwKW719640695",
  bvn_number: "22000000017",
  name_on_card: "IBEKWE EMEKA FAISAL",
  enrolment_branch: "OWERRI MUNICIPAL",
  enrolment_bank: "044",
  formatted_registration_date: "January 20, 2023",
  level_of_account: "Level 2 - Medium Level Accounts",
  nin: "",
  watchlisted: null,
  verification_status: "VERIFIED",
  service_type: "BVN Verification without Image",
  personal_info: {
    first_name: "FAISAL",
    middle_name: "EMEKA",
    last_name: "IBEKWE",
    full_name: "FAISAL EMEKA IBEKWE",
    email: "faisal.ibekwe@example.com",
    gender: "Male",
    phone_number: "08000000017",
    phone_number_2: "08003694601",
    date_of_birth: "20-Nov-1995",
    formatted_date_of_birth: "November 20, 1995",
    lga_of_origin: "Doguwa",
    state_of_origin: "Kano State",
    nationality: "Nigeria",
    marital_status: "Married",
  },
  residential_info: {
    state_of_residence: "Imo State",
    lga_of_residence: "Owerri Municipal",
    residential_address: "23 Mission Street, Owerri Municipal",
  },
};

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
      answer: { success: true, message, data: invented },
    },
  ],
  run: (call, identity: Identity) => verifyPerson("bvn", call, identity, message),
});
