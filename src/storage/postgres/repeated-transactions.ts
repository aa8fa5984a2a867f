import { setTimeout as pause } from "node:timers/promises";
import { Kysely, type TransactionBuilder } from "kysely";
import { codeOf } from "../errors.ts";
import type { Tables } from "../tables.ts";

/**
 * The code of "could not serialize access": a statement or transaction conflicted with others and had no effect.
 * PostgreSQL reports it only at stricter isolation levels than usual; distributed engines can report it at any level.
 */
const NOT_IN_ORDER = "40001";

export function isNotInOrder(error: unknown): boolean {
  return codeOf(error) === NOT_IN_ORDER;
}

/** Longest pause before the first repetition, in milliseconds. The bound grows with each repetition. */
const step = 5;

/** Random, so that conflicting transactions do not collide again. */
export async function pauseBefore(repetition: number): Promise<void> {
  await pause(Math.random() * step * repetition);
}

/** How long a transaction is repeated, in milliseconds. */
const longest = 10_000;

/**
 * Repeats a transaction after a serialization failure. So the callback of the transaction must change nothing but the
 * store.
 */
export class RepeatedTransactions extends Kysely<Tables> {
  override transaction(): TransactionBuilder<Tables> {
    const builder = super.transaction();
    const once = builder.execute.bind(builder);
    builder.execute = async (callback) => {
      const end = performance.now() + longest;
      for (let repetition = 1; ; repetition += 1) {
        try {
          return await once(callback);
        } catch (error) {
          if (!isNotInOrder(error) || performance.now() > end) throw error;
        }
        await pauseBefore(repetition);
      }
    };
    return builder;
  }
}
