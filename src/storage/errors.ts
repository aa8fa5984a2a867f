/**
 * Why the store cannot be opened: one sentence for people, saying what is wrong and what would be right. It never holds a
 * password. The process that meets it prints `message` and ends with `exitCode`.
 */
export class StoreFault extends Error {
  override readonly name = "StoreFault";
  readonly exitCode: number = 1;
}

/** A command was pointed at a place without a store. */
export class MissingStore extends StoreFault {
  override readonly exitCode = 2;
}

/**
 * The store cannot do its work at the moment: it is out of reach, locked, full, read-only or broken. It may be asked again.
 * `message` is for operators and never goes on the wire; `code` is the engine's, or one of ours.
 */
export class StoreAway extends Error {
  override readonly name = "StoreAway";
  readonly exitCode = 1;
  readonly code: string;
  /** Whether the statement may have taken effect for all that, or may yet do so. */
  readonly inDoubt: boolean;

  constructor(code: string, reason: string, inDoubt: boolean, options?: ErrorOptions) {
    super(`The store cannot be used at the moment (${code}: ${reason}): try again once it can.`, options);
    this.code = code;
    this.inDoubt = inDoubt;
  }
}

/** The engine's own code of an error, such as `SQLITE_FULL`, `23505` or `ECONNREFUSED`; undefined when it has none. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
