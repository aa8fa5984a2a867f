import type { CheckInput, Members } from "../../checks/check.ts";
import Type, { type Static } from "../../declare/schema/type.ts";
import type { IdentityOutcome } from "../ports/identity-upstream.ts";
import { notFoundMayBeBilled } from "../responses/billing.ts";
import type { SaidFacts } from "../responses/read-outcome.ts";
import { membersIn, vendorRecord } from "../responses/vendor-record.ts";
import { failureOutcome } from "../responses/vendor-words.ts";

/** A person. All members but the number may be null; the record made from it is checked later. */
export const good = Type.Object({
  status: Type.Literal(true),
  data: Type.Object({ id: Type.Unknown() }),
});

/** The person under the interface's names. */
export function recordIn({ data }: Static<typeof good>, { kind }: CheckInput): Members {
  const { address, ...members } = data as Members;
  const { street, lga, state } = membersIn(address);
  return vendorRecord({
    ...members,
    [kind]: data.id,
    residential_address: street,
    lga_of_residence: lga,
    state_of_residence: state,
  });
}

/** The outcome of a response with an HTTP error or `status: false`. Only its words tell that the number is unknown. */
export function failureIn(status: number, body: unknown): IdentityOutcome | undefined {
  if (status < 300 && membersIn(body).status !== false) return undefined;
  return failureOutcome(status, body);
}

export function factsIn(body: unknown, outcome: IdentityOutcome): SaidFacts {
  return { reference: membersIn(membersIn(body).data).reference, ...notFoundMayBeBilled(body, outcome) };
}
