import type { Members } from "../../src/checks/check.ts";
import Type, { type Static } from "../../src/declare/schema/type.ts";
import type { IdentityOutcome } from "../../src/vendors/ports/identity-upstream.ts";
import { negative } from "../../src/vendors/ports/outcomes.ts";
import { notFoundMayBeBilled } from "../../src/vendors/responses/billing.ts";
import type { SaidFacts } from "../../src/vendors/responses/read-outcome.ts";
import { membersIn, vendorRecord } from "../../src/vendors/responses/vendor-record.ts";
import { failureOutcome } from "../../src/vendors/responses/vendor-words.ts";

/** FILL IN: what a good response certainly has. */
export const good = Type.Object({ data: Type.Object({ bvn: Type.Unknown() }) });

/** The person under the interface's names. FILL IN: members that `vendorRecord` does not know. */
export function recordIn({ data }: Static<typeof good>): Members {
  return vendorRecord({ ...data });
}

/** FILL IN: how the vendor says that nobody has the number, or that it is blocked, and which failures it documents. */
export function failureIn(status: number, body: unknown): IdentityOutcome | undefined {
  const { error } = membersIn(body);
  if (status < 300 && error === undefined) return undefined;
  return failureOutcome(status, body, error === "not_found" ? negative("not_found") : undefined);
}

/** FILL IN: its own reference, and whether it bills; its pages may tell a balance too. */
export function factsIn(body: unknown, outcome: IdentityOutcome): SaidFacts {
  return { reference: membersIn(membersIn(body).data).reference, ...notFoundMayBeBilled(body, outcome) };
}
