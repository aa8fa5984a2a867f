/** The trimmed text, or the digits of a number; else empty. */
export function plain(given: unknown): string {
  if (typeof given === "string") return given.trim();
  return typeof given === "number" && Number.isFinite(given) ? String(given) : "";
}
