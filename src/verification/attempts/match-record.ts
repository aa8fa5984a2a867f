import type { CheckInput } from "../../checks/check.ts";
import { type CheckRecord, checks } from "../../checks/index.ts";
import { declaredCopier } from "../../declare/answers/answer-writer.ts";
import { type CheckKind, forEachKind } from "../../declare/check-kind.ts";
import type { Answers } from "../../declare/operation.ts";
import { transitions } from "../../ledger/transitions.ts";
import type { IdentityOutcome } from "../../vendors/ports/identity-upstream.ts";
import { badResponse } from "../../vendors/ports/outcomes.ts";

const outcomeStates: readonly unknown[] = transitions.complete.to;

/**
 * Checks that a record belongs to the requested person: it is complete, and has the requested number and, with
 * `phoneMatch`, the requested phone. If not, returns a bad response or a negative outcome. If so, returns the record as
 * `answers` permits. An outcome of an unknown state becomes a bad response; all others stay as they are.
 */
export function matchRecord(
  outcome: IdentityOutcome,
  input: CheckInput,
  { phoneMatch, answers }: { phoneMatch: boolean; answers: Answers },
): IdentityOutcome {
  if (!outcomeStates.includes(outcome?.state)) return badResponse("strange");
  if (outcome.state !== "verified") return outcome;
  const { record: given, ...facts } = outcome;
  const { confirm, mask } = checks[input.kind];
  const declared = declaredOf(input.kind, given);
  if (!declared) return { ...facts, ...badResponse("incomplete") };
  const confirmed = confirm(declared, input, { phoneMatch });
  if ("rejected" in confirmed) return { ...facts, ...badResponse(confirmed.rejected) };
  if ("negative" in confirmed) return { ...facts, state: "negative", reason: confirmed.negative };
  return { ...outcome, record: answers === "masked" ? mask(confirmed.record) : confirmed.record };
}

const copiers = forEachKind(
  (kind) => kind,
  (kind) => declaredCopier(checks[kind].record),
);

/** Returns only the documented members of the record; undefined if one is missing or has another type. */
function declaredOf(kind: CheckKind, given: unknown): CheckRecord | undefined {
  try {
    return copiers[kind](given) as CheckRecord;
  } catch {
    return undefined;
  }
}
