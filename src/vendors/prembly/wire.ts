import type { CheckInput, Members } from "../../checks/check.ts";
import Type, { type Static } from "../../declare/schema/type.ts";
import type { IdentityOutcome } from "../ports/identity-upstream.ts";
import { negative, unavailable } from "../ports/outcomes.ts";
import { koboIn } from "../responses/billing.ts";
import type { SaidFacts } from "../responses/read-outcome.ts";
import { membersIn, vendorRecord } from "../responses/vendor-record.ts";
import { failureOutcome } from "../responses/vendor-words.ts";

/** A good response. The person of a NIN is in `nin_data` or in `data`. */
export const good = Type.Object({
  response_code: Type.Literal("00"),
  data: Type.Optional(Type.Unknown()),
  nin_data: Type.Optional(Type.Unknown()),
});

/** The person under the interface's names. */
export function recordIn({ data, nin_data }: Static<typeof good>, { kind }: CheckInput): Members {
  const ofNin = membersIn(nin_data);
  return vendorRecord(kind === "nin" && Object.keys(ofNin).length > 0 ? ofNin : membersIn(data));
}

const outcomes: Readonly<Partial<Record<string, IdentityOutcome>>> = {
  "01": negative("not_found"),
  "02": unavailable("out_of_service"),
  "03": unavailable("no_money"),
  "05": unavailable("refused"),
  "07": negative("blocked"),
};

/**
 * The outcome of a response whose `response_code` is a failure: neither its HTTP status nor its `status` says so. Bad
 * credentials and an empty wallet may have the code of an unknown number, so the words count before the code.
 */
export function failureIn(status: number, body: unknown): IdentityOutcome | undefined {
  const { response_code: code } = membersIn(body);
  if (status < 300 && (code === undefined || code === "00")) return undefined;
  return failureOutcome(status, body, outcomes[String(code)]);
}

/** Prembly bills whatever it says about a person, and tells our balance in naira each time. */
export function factsIn(body: unknown, { state }: IdentityOutcome): SaidFacts {
  const { verification, billing_info } = membersIn(body);
  return {
    reference: membersIn(verification).reference,
    billed: state === "verified" || state === "negative" ? "yes" : undefined,
    balance: koboIn(membersIn(billing_info).current_balance),
  };
}
