import type { CheckInput, Members } from "../../checks/check.ts";
import Type, { type Static } from "../../declare/schema/type.ts";
import type { IdentityOutcome, OutcomeFacts } from "../ports/identity-upstream.ts";
import { badResponse, negative, unknown } from "../ports/outcomes.ts";
import type { SaidFacts } from "../responses/read-outcome.ts";
import { membersIn, vendorRecord } from "../responses/vendor-record.ts";
import { failureOutcome } from "../responses/vendor-words.ts";

const person = Type.Record(Type.String(), Type.Unknown());

/** A person; some products return a list with one person. `searchParameter` is the number. */
export const good = Type.Object({
  responseCode: Type.Literal("00"),
  verificationStatus: Type.Literal("VERIFIED"),
  searchParameter: Type.Optional(Type.Unknown()),
  response: Type.Union([person, Type.Array(person, { minItems: 1, maxItems: 1 })]),
});

/** The person under the interface's names. */
export function recordIn({ response, searchParameter }: Static<typeof good>, { kind }: CheckInput): Members {
  const { address_line_1, address_line_2, address_line_3, ...members } = membersIn(
    Array.isArray(response) ? response[0] : response,
  );
  const lines = [address_line_1, address_line_2, address_line_3].filter((line) => typeof line === "string" && line);
  return vendorRecord({
    residential_address: lines.join(", "),
    ...members,
    [kind]: members[kind] || searchParameter,
  });
}

/** Words of a `NOT VERIFIED` response which mean that the number is unknown. */
const unknownNumber = /\b(not found|no records?|does not exist)\b/i;

/**
 * The outcome of a response without a record. `NOT VERIFIED` concerns the person only if the call was debited or the
 * words say so; otherwise our wallet or key may have failed. `PENDING` may still succeed.
 */
export function failureIn(status: number, body: unknown): IdentityOutcome | undefined {
  const { responseCode, verificationStatus, description } = membersIn(body);
  if (status < 300 && (verificationStatus === undefined || verificationStatus === "VERIFIED"))
    return responseCode === undefined || responseCode === "00" ? undefined : badResponse("failure");
  if (verificationStatus === "PENDING" && status < 500) return unknown;
  const isAboutPerson = debitIn(body) === "yes" || (typeof description === "string" && unknownNumber.test(description));
  const isUnknown = verificationStatus === "NOT VERIFIED" && isAboutPerson;
  return failureOutcome(status, body, isUnknown ? negative("not_found") : undefined);
}

/** `transactionStatus` is the debit of our wallet. */
function debitIn(body: unknown): OutcomeFacts["billed"] {
  const { transactionStatus } = membersIn(body);
  const word = typeof transactionStatus === "string" ? transactionStatus.toLowerCase() : "";
  if (word === "successful") return "yes";
  return word === "failed" || word === "refund" ? "no" : undefined;
}

export function factsIn(body: unknown): SaidFacts {
  return { billed: debitIn(body) };
}
