import type { CheckInput } from "../../../checks/check.ts";
import Type, { type Static } from "../../../operation/schema/type.ts";
import type { IdentityOutcome } from "../../ports/identity-upstream.ts";
import { failedWith, negative, saysNoMoney, unavailable } from "../../ports/outcomes.ts";
import { notFoundMayBeBilled } from "../../responses/billing.ts";
import type { SaidFacts } from "../../responses/read-outcome.ts";
import { type Members, membersIn, vendorRecord } from "../../responses/vendor-record.ts";

/** A good response to a request for a token. `expiresIn` is in seconds. */
export const token = Type.Object({
  accessToken: Type.String({ pattern: "^[!-~]+$" }),
  expiresIn: Type.Number({ minimum: 0 }),
});

const person = Type.Record(Type.String(), Type.Unknown());

/** A person, under the name of the kind. What `summary` says of the names is no matter: Duba compares number and phone. */
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

/** The outcome of a response with a failure's status. A 404 without their code or words is a wrong address. */
export function failureIn(status: number, body: unknown): IdentityOutcome | undefined {
  if (status < 300) return undefined;
  if (status >= 500) return failedWith(status);
  const { code, message } = membersIn(body);
  const isUnknown = typeof message === "string" && /\b(bvn|nin)\b.*\bnot found\b/i.test(message);
  if (code === "NOT_FOUND_ERROR" || isUnknown) return negative("not_found");
  return saysNoMoney(body) ? unavailable("no_money") : failedWith(status);
}

export function factsIn(body: unknown, outcome: IdentityOutcome): SaidFacts {
  return { reference: membersIn(body).id, ...notFoundMayBeBilled(body, outcome) };
}
