/**
 * Half-width and full-width: spreadsheets take both for the beginning of a formula. A tab or CR before it is dropped.
 */
const formula = /^[=+\-@＝＋－＠\t\r]/;
const escapable = /^'*[=+\-@＝＋－＠\t\r]/;
const escaped = /^'+[=+\-@＝＋－＠\t\r]/;

/** True for text that a spreadsheet runs as a formula. */
export function isFormula(text: string): boolean {
  return formula.test(text);
}

/** Puts an apostrophe before a formula, and before text that looks like an escaped formula. */
export function withoutFormula(text: string): string {
  return escapable.test(text) ? `'${text}` : text;
}

/** Undoes `withoutFormula`. */
export function withFormula(text: string): string {
  return escaped.test(text) ? text.slice(1) : text;
}
