/** Returns a text trimmed, and a number as its digits. Returns an empty text for anything else. */
export function plain(given: unknown): string {
  if (typeof given === "string") return given.trim();
  return typeof given === "number" && Number.isFinite(given) ? String(given) : "";
}
