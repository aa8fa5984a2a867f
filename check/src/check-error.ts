/** Why a server cannot be checked, in a sentence. */
export class CheckError extends Error {
  /** The run asks for what the check does not have. */
  readonly isOfInput: boolean;

  constructor(sentence: string, isOfInput = false) {
    super(sentence);
    this.isOfInput = isOfInput;
  }
}
