/** Formulas begin with these characters, half-width or full-width. Spreadsheets skip a leading tab or CR. */
const formula = /^[=+\-@＝＋－＠\t\r]/;
const escapable = /^'*[=+\-@＝＋－＠\t\r]/;
const escaped = /^'+[=+\-@＝＋－＠\t\r]/;

/** True if a spreadsheet would run the text as a formula. */
export function isFormula(text: string): boolean {
  return formula.test(text);
}

/** Puts an apostrophe before a formula, and before text that looks like an escaped formula. */
export function withoutFormula(text: string): string {
  return escapable.test(text) ? `'${text}` : text;
}

/** Reverses `withoutFormula`. */
export function withFormula(text: string): string {
  return escaped.test(text) ? text.slice(1) : text;
}
