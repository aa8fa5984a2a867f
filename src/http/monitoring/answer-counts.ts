/** Counts the answers of each operation by HTTP status. */
export class AnswerCounts {
  readonly #byOperation = new Map<string, number[]>();

  /** The counts of one operation, indexed by status: a sparse list that callers increment. */
  of(operation: string): number[] {
    const known = this.#byOperation.get(operation);
    if (known) return known;
    const counts: number[] = [];
    this.#byOperation.set(operation, counts);
    return counts;
  }

  *all(): Generator<{ operation: string; status: number; count: number }> {
    for (const [operation, counts] of this.#byOperation)
      for (const status in counts) yield { operation, status: Number(status), count: counts[status]! };
  }
}
