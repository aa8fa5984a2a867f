/**
 * A code in capitals. It folds a–z only. Otherwise letters such as "ı" and "ſ", whose capitals are ASCII, would match
 * the letters of a code.
 */
export function foldCase(code: string): string {
  return /[a-z]/.test(code) ? code.replace(/[a-z]+/g, (letters) => letters.toUpperCase()) : code;
}

/** Compares codes without regard to case. */
export function isSameCode(one: string, other: string): boolean {
  return one === other || foldCase(one) === foldCase(other);
}
