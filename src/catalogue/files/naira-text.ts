import { koboOf, plainNaira } from "../../declare/money.ts";

/**
 * Kobo of an amount such as "1234.5", "1,234.50", "₦ 1,234" or "N110"; otherwise an error text that follows the
 * amount's name.
 */
export function readNaira(given: string): number | string {
  const plain = plainNaira(given);
  return koboOf(plain) ?? `${oddityOf(plain)}: write naira such as 1234.50`;
}

function oddityOf(text: string): string {
  if (text === "") return "is empty";
  if (/^[-−(]/.test(text)) return "is below zero";
  if (text.endsWith("%")) return "is a percentage";
  if (/^\d+(\.\d+)?e[+-]?\d+$/i.test(text))
    return "has an exponent, as spreadsheets write long numbers (format the column as a number)";
  if (/^[\d.,]*,[\d.,]*$/.test(text)) return "has a comma that separates no thousands";
  if (/^\d+\.\d{3,}$/.test(text)) return "has more than two decimals";
  if (/^\d{14,}(\.\d+)?$/.test(text)) return "is too large";
  if (/^[\d.\s]*\s[\d.\s]*$/.test(text)) return "has a space in it";
  return "is no amount";
}
