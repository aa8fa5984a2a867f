import Type, { type Static } from "../../src/operation/schema/type.ts";
import type { IdentityOutcome } from "../../src/upstreams/ports/identity-upstream.ts";
import { badResponse, failedWith, negative, saysNoMoney, unavailable } from "../../src/upstreams/ports/outcomes.ts";
import { notFoundMayBeBilled } from "../../src/upstreams/responses/billing.ts";
import type { SaidFacts } from "../../src/upstreams/responses/read-outcome.ts";
import { type Members, membersIn, vendorRecord } from "../../src/upstreams/responses/vendor-record.ts";

/** FILL IN: what a good response certainly has. */
export const good = Type.Object({ data: Type.Object({ bvn: Type.Unknown() }) });

/** The person under the interface's names. FILL IN: members that `vendorRecord` does not know. */
export function recordIn({ data }: Static<typeof good>): Members {
  return vendorRecord({ ...data });
}

/** FILL IN: how the vendor says that nobody has the number, or that it is blocked, and which failures it documents. */
export function failureIn(status: number, body: unknown): IdentityOutcome | undefined {
  const { error, message } = membersIn(body);
  if (status >= 500) return failedWith(status);
  if (status < 300 && error === undefined) return undefined;
  if (error === "not_found" && typeof message === "string") return negative("not_found");
  if (saysNoMoney(body)) return unavailable("no_money");
  return status < 300 ? badResponse("failure") : failedWith(status);
}

/** FILL IN: its own reference, and whether it bills; its pages may tell a balance too. */
export function factsIn(body: unknown, outcome: IdentityOutcome): SaidFacts {
  return { reference: membersIn(membersIn(body).data).reference, ...notFoundMayBeBilled(body, outcome) };
}
