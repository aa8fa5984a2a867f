import { fixedNaira } from "../../declare/money.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import type { Verified } from "./month.ts";

/**
 * Returns a vendor's bill for a month, as CSV, with usual mistakes of invoices: a look-up billed twice, one that nobody
 * made, one at another price, and a line with the total.
 */
export function invoiceOf(vendor: string, of: string, month: readonly Verified[], zone: TimeZone): string {
  const lines = month.flatMap(({ row, attempts }) =>
    attempts
      .filter((each) => each.vendor === vendor && (each.bill ?? 0) > 0 && zone.monthOf(each.started_at) === of)
      .map(({ vendor_reference, started_at, bill }) => ({
        reference: vendor_reference ?? "",
        at: started_at,
        last4: row.subject_last4,
        kobo: bill!,
      })),
  );
  const [first, second, third] = lines;
  if (first && second && third) {
    lines.push(second, { ...third, reference: `${third.reference}X`, last4: "0000", at: third.at + 86_400_000 });
    first.kobo += 1_500;
  }
  const total = lines.reduce((sum, { kobo }) => sum + kobo, 0);
  return [
    "Reference,Date Time,ID Number,Amount",
    ...lines.map(({ reference, at, last4, kobo }) => [reference, zone.isoSecondOf(at), last4, fixedNaira(kobo)].join()),
    `Grand total,,,${fixedNaira(total)}`,
    "",
  ].join("\n");
}
