/**
 * Money is integer kobo inside and plain naira text outside: 10050 is "100.5", 10000 is "100". 100 kobo are 1 naira.
 */
const nairaForm = /^(\d{1,13})(?:\.(\d{1,2}))?$/;

/** Kobo of a plain naira text ("100", "100.5", "100.50"), or undefined if the text is not one. */
export function koboOf(text: string): number | undefined {
  const parts = nairaForm.exec(text);
  if (!parts) return undefined;
  return Number(parts[1]) * 100 + Number((parts[2] ?? "").padEnd(2, "0"));
}

/**
 * A naira text as people write it, such as "₦ 1,234.50", "N110" or "NGN 110", without currency and thousands
 * separators.
 */
export function plainNaira(text: string): string {
  const amount = text.trim().replace(/^(?:₦|NGN|N)\s*(?=\d)/i, "");
  return /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(amount) ? amount.replaceAll(",", "") : amount;
}

/** Naira text of whole kobo with two decimals: 10050 is "100.50". */
export function fixedNaira(kobo: number): string {
  return (kobo / 100).toFixed(2);
}

/**
 * Plain numeric naira text of whole kobo: no trailing zeros after the point, no exponent. A debt has a minus in front.
 */
export function nairaOf(kobo: number): string {
  if (kobo < 0) return `-${nairaOf(-kobo)}`;
  const rest = kobo % 100;
  const naira = String((kobo - rest) / 100);
  return rest === 0 ? naira : `${naira}.${String(rest).padStart(2, "0").replace(/0$/, "")}`;
}

/** Whole kobo as people read them: 123450 is "₦1,234.50". */
export function nairaText(kobo: number): string {
  const [whole, part] = fixedNaira(Math.abs(kobo)).split(".");
  return `${kobo < 0 ? "-" : ""}₦${Number(whole).toLocaleString("en")}.${part}`;
}

/** The same in a sentence, without kobo where there are none: "₦1,900" and "₦49.99". */
export function shortNaira(kobo: number): string {
  return nairaText(kobo).replace(/\.00$/, "");
}

/** What people read of money that waits for a second person. */
export function waitsText(kobo: number): string {
  return `${nairaText(kobo)} waits for a second person: within 24 hours somebody else must send the same form for this account and amount.`;
}
