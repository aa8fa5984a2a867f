import { Failure } from "../../declare/failures.ts";
import { optionalField } from "../../declare/fields.ts";
import { operation } from "../../declare/operation.ts";
import Type from "../../declare/schema/type.ts";
import type { Identity } from "../identity.ts";
import { idempotencyKeyOf } from "./request-headers.ts";
import { stateExample, stateOf, verificationState } from "./verification-state.ts";

export const findVerification = operation({
  ...verificationState,
  id: "findVerification",
  path: "/api/v2/kyc/verifications",
  summary: "State of a verification by its idempotency key",
  description:
    "Tells what became of a verification, by the idempotency key it was sent with: in the query string or in an " +
    "`Idempotency-Key` header. This is how to learn the outcome of a call that timed out.",
  input: Type.Object({
    idempotency_key: optionalField({
      pattern: "^[^]",
      description: "Idempotency key of the verification.",
      problem: "must not be empty",
      example: "order-1001",
    }),
  }),
  headers: Type.Object({
    "idempotency-key": Type.Optional(Type.String({ description: "The same, if it is not in the query string." })),
  }),
  failures: ["invalid_idempotency_key", "verification_not_found"],
  examples: [
    {
      summary: "Verified and charged",
      input: { idempotency_key: "order-1001" },
      answer: stateExample,
    },
  ],
  run: async ({ input, headers, caller }, identity: Identity) => {
    const sent = [input.idempotency_key, headers["idempotency-key"]].filter((one) => one !== undefined);
    const [key, other = key] = sent.map((one) => idempotencyKeyOf(one));
    if (key === undefined)
      throw new Failure("validation_failed", "Name the verification by its idempotency key.", {
        fields: [
          {
            field: "idempotency_key",
            message: "idempotency_key is required, in the query string or as an Idempotency-Key header.",
          },
        ],
      });
    if (key !== other)
      throw new Failure(
        "conflicting_parameters",
        "The idempotency key was given in the query string and as a header, with different values.",
      );
    const { accountId, mode } = caller!;
    return stateOf(identity, { accountId, mode, idempotencyKey: key });
  },
});
