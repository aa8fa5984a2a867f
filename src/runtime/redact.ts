/** Replaces each run of ten or more digits, which may be a BVN, a NIN or a phone number, with "…". */
export function redactNumbers(text: string): string {
  return text.replace(/\d(?:[ -]?\d){9,}/g, "…");
}

/** Replaces whole API keys and tokens, which people paste in place of an id. */
export function redactCredentials(text: string): string {
  return text.replace(/duba_(?:test|live|at)_[\w-]+/g, "duba_…");
}
