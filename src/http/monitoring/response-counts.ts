import { type FailureCode, failures } from "../../declare/failures.ts";
import type { Mode } from "../../declare/operation.ts";
import { Durations } from "../../runtime/duration-histogram.ts";

/** Counts the answers of one operation to keys of one mode. */
export class Tally {
  /**
   * Answers by failure code. `internal_error` is present from the start with 0, because otherwise the first such
   * failure would not show as a rate.
   */
  readonly failures = new Map<FailureCode, number>([["internal_error", 0]]);
  /** Null if durations are not measured. */
  readonly durations: Durations | null;
  ok = 0;
  notModified = 0;
  /** Failures `internal_error` that requests with a test key chose. They must not cause an alarm. */
  rehearsedErrors = 0;

  constructor(isTimed: boolean) {
    this.durations = isTimed ? new Durations() : null;
  }

  failed(code: FailureCode): void {
    this.failures.set(code, (this.failures.get(code) ?? 0) + 1);
  }
}

/** `none`: callers without a credential, or with a wrong one. */
export type TalliesByMode = Readonly<Record<Mode | "none", Tally>>;

/** The name under which we count requests that reach no operation. */
export const noOperation = "none";

/** Counts the responses of each operation by the mode of the key and the outcome. */
export class ResponseCounts {
  readonly #byOperation = new Map<string, TalliesByMode>();
  #isTimed = false;

  /** Measures durations as well, for all tallies that are requested from now on. */
  measureDurations(): void {
    this.#isTimed = true;
  }

  of(operation: string): TalliesByMode {
    const known = this.#byOperation.get(operation);
    if (known) return known;
    const [test, live, none] = [new Tally(this.#isTimed), new Tally(this.#isTimed), new Tally(this.#isTimed)];
    const counts = { test, live, none };
    this.#byOperation.set(operation, counts);
    return counts;
  }

  *tallies(): Generator<{ operation: string; mode: string; tally: Tally }> {
    for (const [operation, counts] of this.#byOperation)
      for (const [mode, tally] of Object.entries(counts)) yield { operation, mode, tally };
  }

  *all(): Generator<{ operation: string; mode: string; status: number; outcome: string; count: number }> {
    for (const { operation, mode, tally } of this.tallies()) {
      if (tally.ok > 0) yield { operation, mode, status: 200, outcome: "ok", count: tally.ok };
      if (tally.notModified > 0)
        yield { operation, mode, status: 304, outcome: "not_modified", count: tally.notModified };
      if (tally.rehearsedErrors > 0)
        yield { operation, mode, status: 500, outcome: "rehearsed", count: tally.rehearsedErrors };
      for (const [code, count] of tally.failures)
        yield { operation, mode, status: failures[code].status, outcome: code, count };
    }
  }
}
