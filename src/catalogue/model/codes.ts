/** A code without regard to case. Only a–z are folded: "ı" and "ſ" are no letters of any code, though they capitalise to some. */
export function foldCase(code: string): string {
  return code.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** True if two texts name the same thing: codes are matched without regard to case, and not trimmed. */
export function isSameCode(one: string, other: string): boolean {
  return one === other || foldCase(one) === foldCase(other);
}
