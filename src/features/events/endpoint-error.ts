import type { Mend } from "../../declare/command/mend.ts";
import { CommandError } from "../../declare/command.ts";
import type { FailureCode } from "../../declare/failures.ts";

/**
 * What cannot be done with endpoints. Operators read the sentence with what they can do about it; a caller reads it
 * alone, with the code.
 */
export class EndpointError extends CommandError {
  readonly code: FailureCode;

  constructor(code: FailureCode, sentence: string, ...mends: readonly Mend[]) {
    super(sentence, ...mends);
    this.code = code;
  }
}
