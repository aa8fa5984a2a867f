import { codeField, isPlainId } from "../../declare/fields.ts";
import { operation } from "../../declare/operation.ts";
import Type from "../../declare/schema/type.ts";
import type { Identity } from "../identity.ts";
import { stateExample, stateOf, verificationNotFound, verificationState } from "./verification-state.ts";

export const getVerification = operation({
  ...verificationState,
  id: "getVerification",
  path: "/api/v2/kyc/verifications/{request_reference}",
  summary: "State of a verification",
  description: "Tells what became of a verification, by its `request_reference`. Holds no personal data.",
  input: Type.Object({ request_reference: codeField("Reference of the verification.", "3wKwKW719640695") }),
  failures: ["verification_not_found"],
  examples: [
    { summary: "Verified and charged", input: { request_reference: "3wKwKW719640695" }, answer: stateExample },
  ],
  run: async ({ input, caller }, identity: Identity) => {
    // A path in another form may hold a person's number, which must not reach a query or the store's log.
    const { accountId, mode } = caller!;
    if (!isPlainId(input.request_reference)) throw verificationNotFound(mode);
    return stateOf(identity, { accountId, mode, reference: input.request_reference });
  },
});
