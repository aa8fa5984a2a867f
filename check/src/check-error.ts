/** Why a server cannot be checked, in a sentence. */
export class CheckError extends Error {
  /** Whether an input of the run is wrong, rather than the server. */
  readonly isOfInput: boolean;

  constructor(sentence: string, isOfInput = false) {
    super(sentence);
    this.isOfInput = isOfInput;
  }
}
