const formula = /^[=+\-@\t]/;
const escapable = /^'*[=+\-@\t]/;
const escaped = /^'+[=+\-@\t]/;

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
