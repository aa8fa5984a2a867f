import type { AbortableOperationOptions } from "kysely";

/** Milliseconds for opening the file or connecting to the server. */
export const OPEN_MILLISECONDS = 5_000;

/** Time limits on an open store, in milliseconds. */
export interface StoreTimeouts {
  /** The limit of a BEGIN or a statement outside a transaction, from the store's last response to any statement. */
  readonly alone: number;
  /** The limit of each statement inside a transaction, and of the wait in the queue behind earlier work. */
  readonly inside: number;
  /** The limit of the time between two statements of a transaction, which is then rolled back. */
  readonly idle: number;
}

/** The limits of a serving process. A caller gets a response within a second, even if a quick statement ran before. */
export const servingTimeouts: StoreTimeouts = { alone: 700, inside: 10_000, idle: 15_000 };

/** The limits of a command that runs beside the service and may queue behind the service. */
export const commandTimeouts: StoreTimeouts = { alone: 10_000, inside: 10_000, idle: 15_000 };

/** The longest delay of a Node timer. */
const forever = 2 ** 31 - 1;

/** The limits of migrations and backups, which take long on large tables and may wait for another process. */
export const migrationTimeouts: StoreTimeouts = { alone: 10_000, inside: forever, idle: forever };

/**
 * A longer wait for one statement outside a transaction. Kysely's `executeQuery` takes it as options, and passes it to
 * the driver.
 */
export interface Patience extends AbortableOperationOptions {
  /** The end of the wait, by `performance.now()`. The usual time-out applies if it ends later. */
  readonly until: number;
  /** Whether the longer wait applies to a held row. If not, the wait for a row ends after the usual time. */
  readonly waitsForRows: boolean;
}

/** A waiting statement. `asked` is a time of `performance.now()`. */
export interface WaitingStatement {
  readonly asked: number;
  readonly timeouts: StoreTimeouts;
  readonly patience: Patience | undefined;
}

/** Returns how many milliseconds a statement may still wait. `heard`: the store's last response. */
export function remainingTime({ asked, timeouts, patience }: WaitingStatement, heard: number): number {
  const { alone, inside } = timeouts;
  const usual = Math.min(Math.max(asked, heard) + alone, asked + inside);
  return Math.max(usual, patience?.until ?? 0) - performance.now();
}

/**
 * Resolves to `answer`, or rejects with `late()` when `left()` is 0 or less. A response that has arrived wins, although
 * a busy event loop may run the timer first.
 */
export async function answerBefore<Value>(
  answer: Promise<Value>,
  left: () => number,
  late: () => Error,
): Promise<Value> {
  const over = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout;
  let isSettled = false;
  const watch = () => {
    if (isSettled) return;
    const milliseconds = left();
    if (milliseconds <= 0) over.reject(late());
    else timer = setTimeout(() => setImmediate(watch), milliseconds);
  };
  watch();
  try {
    return await Promise.race([answer, over.promise]);
  } finally {
    isSettled = true;
    clearTimeout(timer!);
  }
}
