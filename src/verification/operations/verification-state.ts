import { Failure } from "../../declare/failures.ts";
import { nairaOf } from "../../declare/money.ts";
import type { Mode } from "../../declare/operation.ts";
import Type, { type Static } from "../../declare/schema/type.ts";
import { publicStates, stateForClients } from "../../ledger/public-state.ts";
import type { Identity, Sought } from "../identity.ts";

const VerificationAnswer = Type.Object({
  success: Type.Literal(true),
  status: Type.Literal("success"),
  message: Type.String(),
  data: Type.Object(
    {
      request_reference: Type.String({ description: "Duba's reference of the verification" }),
      state: Type.Enum([...publicStates], {
        description:
          "`started`: running. `unknown`: the outcome cannot be told yet; retry with the same key. `failed`: " +
          "no work was done. The others are final.",
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

/** The common parts of the operations on a verification's state. Spread this object into each operation. */
export const verificationState = {
  method: "GET",
  group: "Identity",
  access: "credential",
  scope: "identity:verify",
  limit: "catalogue",
  carriage: "query",
  answer: VerificationAnswer,
} as const;

export const stateExample = answerWith({
  request_reference: "3wKwKW719640695",
  state: "verified",
  charged: true,
  fee: "100",
  attempts: 1,
  created_at: "2026-01-15T09:30:00.000Z",
  completed_at: "2026-01-15T09:30:00.412Z",
});

/** The state of a verification. Throws `verification_not_found`. */
export async function stateOf(identity: Identity, sought: Sought): Promise<VerificationAnswer> {
  const row = await identity.find(sought);
  if (!row) throw verificationNotFound(sought.mode);
  return answerWith({
    request_reference: row.reference,
    state: stateForClients(row, identity.settings.negativeDetail),
    charged: row.charged === 1,
    fee: row.charged === 1 ? nairaOf(row.fee) : "0",
    attempts: row.attempts.length,
    created_at: new Date(row.created_at).toISOString(),
    completed_at: row.completed_at === null ? null : new Date(row.completed_at).toISOString(),
  });
}

export function verificationNotFound(mode: Mode): Failure {
  const message = `Your account has no ${mode} verification with this reference or idempotency key. This is a ${mode} key.`;
  return new Failure("verification_not_found", message);
}

function answerWith(data: VerificationAnswer["data"]): VerificationAnswer {
  return { success: true, status: "success", message: "Verification found", data };
}
