import { Durations } from "../runtime/durations.ts";
import type { IdentityOutcome, UnavailableBecause } from "./ports/identity-upstream.ts";

/** Counts attempts by outcome: its kind, or the reason of an `unavailable`. */
export class VendorCalls {
  readonly outcomes = new Map<string, number>();
  readonly durations = new Durations();

  add(outcome: IdentityOutcome["kind"] | UnavailableBecause): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }
}
