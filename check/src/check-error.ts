/** Why a server cannot be checked, in a sentence. */
export class CheckError extends Error {
  /** Whether the run lacks input that the check needs. */
  readonly isOfInput: boolean;

  constructor(sentence: string, isOfInput = false) {
    super(sentence);
    this.isOfInput = isOfInput;
  }
}
