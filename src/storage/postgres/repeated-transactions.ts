import { setTimeout as pause } from "node:timers/promises";
import { Kysely, type TransactionBuilder } from "kysely";
import { codeOf } from "../errors.ts";
import type { Tables } from "../tables.ts";

/**
 * The code of "could not serialize access": the engine could put a statement or a transaction in no order with others,
 * and did nothing of it. PostgreSQL has it only where a database was made stricter than usual; engines that spread a
 * database over machines have it always.
 */
const NOT_IN_ORDER = "40001";

export function isNotInOrder(error: unknown): boolean {
  return codeOf(error) === NOT_IN_ORDER;
}

/** Milliseconds: the longest pause before a first repetition. Each later one may be as much longer. */
const step = 5;

/** So that those that got in each other's way do not come back at the same moment. */
export async function pauseBefore(repetition: number): Promise<void> {
  await pause(Math.random() * step * repetition);
}

/** Milliseconds in which a transaction is repeated. */
const longest = 10_000;

/** Repeats a transaction that could not be put in order, so its callback may change nothing but the store. */
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
