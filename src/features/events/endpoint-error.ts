import type { Mend } from "../../declare/command/mend.ts";
import { CommandError } from "../../declare/command.ts";
import type { FailureCode } from "../../declare/failures.ts";

/**
 * An endpoint cannot be changed as requested. Operators get the sentence with a remedy; API clients get the sentence
 * with the code.
 */
export class EndpointError extends CommandError {
  readonly code: FailureCode;

  constructor(code: FailureCode, sentence: string, ...mends: readonly Mend[]) {
    super(sentence, ...mends);
    this.code = code;
  }
}
