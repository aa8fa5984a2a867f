import { Durations } from "../runtime/duration-histogram.ts";
import type { OutcomeWord } from "./ports/outcomes.ts";

/** Counts attempts by outcome. */
export class VendorAttempts {
  readonly outcomes = new Map<string, number>();
  readonly durations = new Durations();
  /** Records with a bank that our table lacks. */
  unknownBanks = 0;

  add(outcome: OutcomeWord): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }
}
