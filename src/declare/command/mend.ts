import type { RichText } from "./rich-text.ts";

/** What a text proposes to do: a command by its id, with its input as texts. */
export interface Mend {
  /** Such as "See why". */
  readonly says: RichText;
  readonly command: string;
  readonly input: Readonly<Record<string, string | readonly string[] | true>>;
}

/** A mend, with its line for a terminal. */
export interface MendWithLine extends Mend {
  readonly line: string;
}

export function mend(says: string | RichText, command: string, input: Mend["input"] = {}): Mend {
  return { says: typeof says === "string" ? [says] : says, command, input };
}

/** An error for people that proposes what to do: user interfaces print or link it after the message. */
export class ErrorWithMends extends Error {
  readonly mends: readonly Mend[];

  constructor(message: string, ...mends: readonly Mend[]) {
    super(message);
    this.mends = mends;
  }
}
