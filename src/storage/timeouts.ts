import type { AbortableOperationOptions } from "kysely";

/** Milliseconds for opening the file or connecting to the server. */
export const OPEN_MILLISECONDS = 5_000;

/** Time limits on an open store, in milliseconds. */
export interface StoreTimeouts {
  /** For a statement outside a transaction or a BEGIN, counted from the store's last response to any statement. */
  readonly alone: number;
  /** For each statement inside a transaction, and the longest wait in the queue behind earlier work. */
  readonly inside: number;
  /** For a transaction that sends no statement; it is then rolled back. */
  readonly idle: number;
}

/** For a serving process. A caller gets a response within a second, even after a preceding quick statement. */
export const servingTimeouts: StoreTimeouts = { alone: 700, inside: 10_000, idle: 15_000 };

/** For a command that runs beside the service and may queue behind it. */
export const commandTimeouts: StoreTimeouts = { alone: 10_000, inside: 10_000, idle: 15_000 };

/** The longest delay that a Node timer accepts. */
const forever = 2 ** 31 - 1;

/** For migrations and backups. Large tables take long, and they may have to wait for another process. */
export const migrationTimeouts: StoreTimeouts = { alone: 10_000, inside: forever, idle: forever };

/**
 * For a statement outside a transaction that is worth a longer wait. Kysely's `executeQuery` takes it as its options,
 * and hands it to the driver that gives it a connection.
 */
export interface Patience extends AbortableOperationOptions {
  /** How long it waits, by `performance.now()`. The usual time-out holds if it ends later. */
  readonly until: number;
  /** Whether it also waits so long for a held row. Otherwise the wait for that row ends after the usual time. */
  readonly waitsForRows: boolean;
}

/** A statement that waits for the store, by `performance.now()` since `asked`. */
export interface WaitingStatement {
  readonly asked: number;
  readonly timeouts: StoreTimeouts;
  readonly patience: Patience | undefined;
}

/** Milliseconds that a statement may still wait; the store last answered at `heard`. */
export function remainingTime({ asked, timeouts, patience }: WaitingStatement, heard: number): number {
  const { alone, inside } = timeouts;
  const usual = Math.min(Math.max(asked, heard) + alone, asked + inside);
  return Math.max(usual, patience?.until ?? 0) - performance.now();
}

/**
 * Resolves to `answer`, or rejects with `late()` once `left()` returns 0 or less. A response that has already arrived
 * wins, because a busy event loop may run the timer before it reads the socket.
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
