import type { CheckInput, Members } from "../../checks/check.ts";
import Type, { type Static } from "../../declare/schema/type.ts";
import type { IdentityOutcome } from "../ports/identity-upstream.ts";
import { negative } from "../ports/outcomes.ts";
import { notFoundMayBeBilled } from "../responses/billing.ts";
import type { SaidFacts } from "../responses/read-outcome.ts";
import { membersIn, vendorRecord } from "../responses/vendor-record.ts";
import { failureOutcome } from "../responses/vendor-words.ts";

/** A successful token response. `expiresIn` is in seconds. */
export const token = Type.Object({
  accessToken: Type.String({ pattern: "^[!-~]+$" }),
  expiresIn: Type.Number({ minimum: 0 }),
});

const person = Type.Record(Type.String(), Type.Unknown());

/**
 * A person, under the name of the kind. We ignore the vendor's verdict on names in `summary`: Duba compares number and
 * phone.
 */
export const good = Type.Union([Type.Object({ bvn: person }), Type.Object({ nin: person })]);

/** The person under the interface's names. */
export function recordIn(response: Static<typeof good>, { kind }: CheckInput): Members {
  const { residence, ...members } = membersIn((response as Members)[kind]);
  const { address1, lga, state } = membersIn(residence);
  return vendorRecord({
    residential_address: address1,
    lga_of_residence: lga,
    state_of_residence: state,
    ...members,
  });
}

/** The outcome of a response with an HTTP error. A 404 without QoreID's code or words means a wrong address. */
export function failureIn(status: number, body: unknown): IdentityOutcome | undefined {
  if (status < 300) return undefined;
  const isUnknown = membersIn(body).code === "NOT_FOUND_ERROR";
  return failureOutcome(status, body, isUnknown ? negative("not_found") : undefined);
}

export function factsIn(body: unknown, outcome: IdentityOutcome): SaidFacts {
  return { reference: membersIn(body).id, ...notFoundMayBeBilled(body, outcome) };
}
