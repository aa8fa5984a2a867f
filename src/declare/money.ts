/** Money is whole kobo inside and plain naira text outside: 10050 is "100.5", 10000 is "100". 1 naira is 100 kobo. */
const nairaForm = /^(\d{1,13})(?:\.(\d{1,2}))?$/;

/** Reads plain naira text ("100", "100.5", "100.50") as kobo. Returns undefined for other text. */
export function koboOf(text: string): number | undefined {
  const parts = nairaForm.exec(text);
  if (!parts) return undefined;
  return Number(parts[1]) * 100 + Number((parts[2] ?? "").padEnd(2, "0"));
}

/**
 * Removes the currency and the thousands separators from people's naira text, such as "₦ 1,234.50", "N110" or "NGN
 * 110".
 */
export function plainNaira(text: string): string {
  const amount = text.trim().replace(/^(?:₦|NGN|N)\s*(?=\d)/i, "");
  return /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(amount) ? amount.replaceAll(",", "") : amount;
}

/** Formats kobo as naira with two decimals: 10050 is "100.50". */
export function fixedNaira(kobo: number): string {
  return (kobo / 100).toFixed(2);
}

/** Formats kobo as plain naira text: no trailing zeros, no exponent, a minus for a debt. */
export function nairaOf(kobo: number): string {
  if (kobo < 0) return `-${nairaOf(-kobo)}`;
  const rest = kobo % 100;
  const naira = String((kobo - rest) / 100);
  return rest === 0 ? naira : `${naira}.${String(rest).padStart(2, "0").replace(/0$/, "")}`;
}

/** Formats kobo for people: 123450 is "₦1,234.50". */
export function nairaText(kobo: number): string {
  const [whole, part] = fixedNaira(Math.abs(kobo)).split(".");
  return `${kobo < 0 ? "-" : ""}₦${Number(whole).toLocaleString("en")}.${part}`;
}

/** Formats kobo for a sentence, without ".00": "₦1,900" and "₦49.99". */
export function shortNaira(kobo: number): string {
  return nairaText(kobo).replace(/\.00$/, "");
}

/** Returns the sentence about an amount that waits for a second person. */
export function waitsText(kobo: number): string {
  return `${nairaText(kobo)} waits for a second person: within 24 hours somebody else must send the same form for this account and amount.`;
}
