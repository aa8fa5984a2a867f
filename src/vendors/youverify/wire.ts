import type { CheckInput, Members } from "../../checks/check.ts";
import Type, { type Static } from "../../declare/schema/type.ts";
import type { IdentityOutcome } from "../ports/identity-upstream.ts";
import { negative } from "../ports/outcomes.ts";
import { notFoundMayBeBilled } from "../responses/billing.ts";
import type { SaidFacts } from "../responses/read-outcome.ts";
import { membersIn, vendorRecord } from "../responses/vendor-record.ts";
import { failureOutcome } from "../responses/vendor-words.ts";

/** A person who was found. */
export const good = Type.Object({
  success: Type.Literal(true),
  data: Type.Object({ status: Type.Literal("found"), idNumber: Type.Unknown() }),
});

/** The person under the interface's names. */
export function recordIn({ data }: Static<typeof good>, { kind }: CheckInput): Members {
  const { address, ...members } = data as Members;
  const { addressLine, lga, state } = membersIn(address);
  return vendorRecord({
    ...members,
    [kind]: data.idNumber,
    residential_address: addressLine,
    lga_of_residence: lga,
    state_of_residence: state,
  });
}

/**
 * The outcome of a failure, which may come with HTTP 200. Only the words say that nobody has the number: another 404 is
 * a wrong address.
 */
export function failureIn(status: number, body: unknown): IdentityOutcome | undefined {
  const { success, statusCode, data } = membersIn(body);
  const isUnknown = membersIn(data).status === "not_found";
  if (status < 300 && success !== false && !isUnknown) return undefined;
  const ownStatus = status < 300 && typeof statusCode === "number" ? statusCode : status;
  return failureOutcome(ownStatus, body, isUnknown ? negative("not_found") : undefined);
}

export function factsIn(body: unknown, outcome: IdentityOutcome): SaidFacts {
  return { reference: membersIn(membersIn(body).data).id, ...notFoundMayBeBilled(body, outcome) };
}
