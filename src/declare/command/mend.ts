import type { RichText } from "./rich-text.ts";

/** A command that solves a problem: its id and its input as texts. */
export interface Mend {
  /** The label, such as "See why". */
  readonly says: RichText;
  readonly command: string;
  readonly input: Readonly<Record<string, string | readonly string[] | true>>;
}

/** A mend with its command line. */
export interface MendWithLine extends Mend {
  readonly line: string;
}

export function mend(says: string | RichText, command: string, input: Mend["input"] = {}): Mend {
  return { says: typeof says === "string" ? [says] : says, command, input };
}

/** An error that proposes commands. User interfaces show them after the message. */
export class ErrorWithMends extends Error {
  readonly mends: readonly Mend[];

  constructor(message: string, ...mends: readonly Mend[]) {
    super(message);
    this.mends = mends;
  }
}
