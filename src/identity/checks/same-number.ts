/** Whether a record's number is the one asked for. Vendors mask it: then all visible digits, at least four, must agree. */
export function isSameNumber(found: string, asked: string): boolean {
  if (found === asked) return true;
  if (found.length !== asked.length || !/^[\d*xX#•]+$/.test(found)) return false;
  const visible = [...found].map((digit, at) => [digit, asked[at]]).filter(([digit]) => /\d/.test(digit!));
  return visible.length >= 4 && visible.every(([digit, own]) => digit === own);
}
