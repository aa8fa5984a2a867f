import type { Caller, Mode } from "../../declare/operation.ts";

/**
 * How many entries an account may make in each mode: `perSecond` more each second, which add up to `most` while it
 * makes none.
 */
export interface EntryBudget {
  most: number;
  perSecond: number;
}

/** `routine`: look-ups that succeeded. `others`: failures, and all that is not a look-up. */
export type EntryBudgets = Readonly<Record<"routine" | "others", EntryBudget>>;

export const usualBudgets: EntryBudgets = {
  routine: { most: 60, perSecond: 0.1 },
  others: { most: 600, perSecond: 1 },
};

/** What is left of an account's budgets. */
interface Left {
  routine: number;
  others: number;
}

/**
 * Decides which answers get an entry, so that no account fills the log, and its look-ups never crowd out its failures.
 */
export class Admission {
  readonly #budgets: EntryBudgets;
  readonly #left: Readonly<Record<Mode, Map<string, Left>>> = { test: new Map(), live: new Map() };
  /** How many answers got no entry so far. */
  refused = 0;

  constructor(budgets: EntryBudgets = usualBudgets) {
    this.#budgets = budgets;
  }

  /** Takes one entry from the budget. Runs on each response, so it needs only a map in memory. */
  takes({ accountId, mode }: Caller, isRoutine: boolean): boolean {
    const accounts = this.#left[mode];
    let left = accounts.get(accountId);
    if (left === undefined) {
      left = { routine: this.#budgets.routine.most, others: this.#budgets.others.most };
      accounts.set(accountId, left);
    }
    const kind = isRoutine ? "routine" : "others";
    if (left[kind] < 1) {
      this.refused += 1;
      return false;
    }
    left[kind] -= 1;
    return true;
  }

  /** Refills each budget for these seconds, and removes accounts whose budgets are full. */
  refill(seconds: number): void {
    const { routine, others } = this.#budgets;
    for (const accounts of Object.values(this.#left))
      for (const [accountId, left] of accounts) {
        left.routine = Math.min(routine.most, left.routine + routine.perSecond * seconds);
        left.others = Math.min(others.most, left.others + others.perSecond * seconds);
        if (left.routine === routine.most && left.others === others.most) accounts.delete(accountId);
      }
  }
}
