const formula = /^[=+\-@\t]/;
const escapable = /^'*[=+\-@\t]/;
const escaped = /^'+[=+\-@\t]/;

/** True for text that spreadsheets run instead of showing it. */
export function isFormula(text: string): boolean {
  return formula.test(text);
}

/** Text that spreadsheets show as it is: a formula gets an apostrophe in front, and so does what looks like an escaped one. */
export function withoutFormula(text: string): string {
  return escapable.test(text) ? `'${text}` : text;
}

/** The text before `withoutFormula`. */
export function withFormula(text: string): string {
  return escaped.test(text) ? text.slice(1) : text;
}
