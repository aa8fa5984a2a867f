/**
 * The store cannot be opened. `message` is one sentence that says what is wrong and what would be right; it never
 * contains a password. The process prints it and ends with `exitCode`.
 */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly exitCode: number = 1;
}

/** The store is unreachable, still starting, or out of connections. A retry may succeed. */
export class UnreachedStore extends StoreError {}

/** The server has no database of that name. A server that is still starting may be about to create it. */
export class MissingDatabase extends StoreError {}

/** A command found no store where it looked. */
export class MissingStore extends StoreError {
  override readonly exitCode = 2;
}

/**
 * The store cannot work at the moment: it is out of reach, locked, full, read-only or broken. A later try may succeed.
 * `message` is for operators and never goes on the wire; `code` is the engine's, or one of ours.
 */
export class StoreAway extends Error {
  override readonly name = "StoreAway";
  readonly exitCode = 1;
  readonly code: string;
  /** Whether the statement may have taken effect, or may still do so. */
  readonly isUncertain: boolean;

  constructor(code: string, reason: string, isUncertain: boolean, options?: ErrorOptions) {
    const cure = isUncertain ? "look whether it did what was asked before you try again" : "try again once it can";
    super(`The store cannot be used at the moment (${code}: ${reason}): ${cure}.`, options);
    this.code = code;
    this.isUncertain = isUncertain;
  }
}

/**
 * A statement waited too long for a row that another transaction holds, and did nothing. The store itself is healthy.
 */
export class RowHeld extends StoreAway {
  constructor(code: string, reason: string, options?: ErrorOptions) {
    super(code, reason, false, options);
  }
}

/** The engine's own code of an error, such as `SQLITE_FULL`, `23505` or `ECONNREFUSED`; undefined when it has none. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** The code of an error, else its name. We never log its message, which may contain values of the request. */
export function errorName(error: unknown): string {
  return codeOf(error) ?? (error instanceof Error ? error.name : typeof error);
}
