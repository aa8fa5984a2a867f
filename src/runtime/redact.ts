/** Digits with what people write between them: a space or a hyphen of any kind, and the brackets of "(0803) 123-4567". */
export const writtenNumber = /\d(?:\)?[\s\u2010-\u2015-]?\(?\d)*/g;

/** Replaces each run of ten or more digits, which may be a BVN, a NIN or a phone number, with "…". */
export function redactNumbers(text: string): string {
  return text.replace(writtenNumber, (number) => (number.match(/\d/g)!.length >= 10 ? "…" : number));
}

/** Replaces whole API keys and tokens, which people paste in place of an id. */
export function redactCredentials(text: string): string {
  return text.replace(/duba_(?:test|live|at)_[\w-]+/g, "duba_…");
}
