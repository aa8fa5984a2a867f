import Type, { type Static } from "typebox";
import { Failure } from "../../operation/failures.ts";
import { codeField, optionalField } from "../../operation/fields.ts";
import { nairaOf } from "../../operation/money.ts";
import { type Caller, operation } from "../../operation/operation.ts";
import type { Identity, Sought } from "../identity.ts";
import type { Row } from "../ledger/ledger.ts";
import { states, type VerificationState } from "../ledger/transitions.ts";
import type { IdentitySettings } from "../settings.ts";
import { idempotencyKeyOf } from "./request-headers.ts";

const VerificationAnswer = Type.Object({
  success: Type.Literal(true),
  status: Type.Literal("success"),
  message: Type.String(),
  data: Type.Object(
    {
      request_reference: Type.String({ description: "Duba's reference of the verification" }),
      state: Type.Enum([...states], {
        description:
          "`started`: running. `unknown`: the outcome cannot be told yet; retry with the same key. `failed`: no work was " +
          "done. The others are final.",
      }),
      charged: Type.Boolean(),
      fee: Type.String({ description: 'What was charged, in naira; "0" when nothing was' }),
      attempts: Type.Integer({ description: "How often the identity source was asked" }),
      created_at: Type.String({ description: "ISO 8601, UTC" }),
      completed_at: Type.Union([Type.String(), Type.Null()], {
        description: "ISO 8601, UTC; null while there is no outcome",
      }),
    },
    { title: "Verification" },
  ),
});
type VerificationAnswer = Static<typeof VerificationAnswer>;

const shared = {
  method: "GET",
  group: "Identity",
  documented: false,
  access: "credential",
  scope: "identity:verify",
  limit: "catalogue",
  carriage: "query",
  answer: VerificationAnswer,
} as const;

const message = "Verification found";

const example: VerificationAnswer = {
  success: true,
  status: "success",
  message,
  data: {
    request_reference: "3wKwKW719640695",
    state: "verified",
    charged: true,
    fee: "100",
    attempts: 1,
    created_at: "2026-01-15T09:30:00.000Z",
    completed_at: "2026-01-15T09:30:00.412Z",
  },
};

export const getVerification = operation({
  ...shared,
  id: "getVerification",
  path: "/api/v2/kyc/verifications/{request_reference}",
  summary: "State of a verification",
  description: "Tells what became of a verification, by its `request_reference`. Holds no personal data.",
  input: Type.Object({ request_reference: codeField("Reference of the verification.", "3wKwKW719640695") }),
  failures: ["verification_not_found"],
  examples: [{ summary: "Verified and charged", input: { request_reference: "3wKwKW719640695" }, answer: example }],
  run: ({ input, caller }, identity: Identity) =>
    answerOf(identity, { ...whose(caller!), reference: input.request_reference }),
});

export const findVerification = operation({
  ...shared,
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
      fault: "must not be empty",
      example: "5f0c9a53-5e1e-4a57-a4dc-0f5e0f4b6f10",
    }),
  }),
  headers: Type.Object({
    "idempotency-key": Type.Optional(Type.String({ description: "The same, if it is not in the query string." })),
  }),
  failures: ["invalid_idempotency_key", "verification_not_found"],
  examples: [
    {
      summary: "Verified and charged",
      input: { idempotency_key: "5f0c9a53-5e1e-4a57-a4dc-0f5e0f4b6f10" },
      answer: example,
    },
  ],
  run: async ({ input, headers, caller }, identity: Identity) => {
    const given = [input.idempotency_key, headers["idempotency-key"]].filter((one) => one !== undefined);
    const [key, other = key] = given.map((one) => idempotencyKeyOf(one));
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
    return answerOf(identity, { ...whose(caller!), idempotencyKey: key });
  },
});

function whose({ accountId, mode }: Caller) {
  return { accountId, mode };
}

async function answerOf(identity: Identity, sought: Sought): Promise<VerificationAnswer> {
  const row = await identity.find(sought);
  if (!row) throw new Failure("verification_not_found");
  return {
    success: true,
    status: "success",
    message,
    data: {
      request_reference: row.reference,
      state: shownState(row, identity.settings),
      charged: row.charged === 1,
      fee: row.charged === 1 ? nairaOf(row.fee) : "0",
      attempts: row.attempts,
      created_at: new Date(row.created_at).toISOString(),
      completed_at: row.completed_at === null ? null : new Date(row.completed_at).toISOString(),
    },
  };
}

/** Coarse answers do not say here either which of the two was wrong. */
function shownState({ state }: Row, { negativeDetail }: IdentitySettings): VerificationState {
  return negativeDetail === "coarse" && state === "phone_mismatch" ? "not_found" : state;
}
