import { calendarMonth } from "../../../declare/command/forms.ts";
import { type ChosenFile, files, formed, InputError } from "../../../declare/command/read-texts.ts";
import Type from "../../../declare/schema/type.ts";
import { nextMonth, type TimeZone } from "../../../runtime/time-zone.ts";
import { vendorChoice } from "../../../verification/commands/vendor-states.ts";
import { type Invoice, type InvoiceColumn, invoiceColumns, readInvoice } from "../invoice.ts";

const columnOption = (about: string) =>
  Type.Optional(Type.String({ description: `Heading of the column with ${about}.`, placeholder: "heading" }));

/** Input members that choose an invoice. */
export const invoiceInput = (defaultMonth: string) => ({
  invoice: files({ description: "The invoice, as CSV.", placeholder: "file" }),
  vendor: vendorChoice("Whose invoice it is."),
  month: Type.Optional(
    formed(calendarMonth, { description: `Month of the invoice. Default: ${defaultMonth}.`, placeholder: "month" }),
  ),
  reference_column: columnOption("the vendor's reference"),
  time_column: columnOption("the time"),
  digits_column: columnOption("the number or its last four digits"),
  price_column: columnOption("the price in naira"),
});

type InvoiceInput = { invoice: readonly ChosenFile[] } & Partial<Record<`${InvoiceColumn}_column`, string>>;

/** The invoice as it reads. Throws an `InputError` if two files are given, and whatever `readInvoice` throws. */
export async function chosenInvoice(
  { invoice: [file, ...more], ...named }: InvoiceInput,
  zone: TimeZone,
): Promise<Invoice> {
  if (!file || more.length > 0) throw new InputError("Give one invoice.");
  const names = Object.fromEntries(invoiceColumns.map((column) => [column, named[`${column}_column`]]));
  return readInvoice(file, zone, names);
}

/** The bounds of a month in milliseconds since 1970. */
export function monthPeriod(month: string, zone: TimeZone): { from: number; to: number } {
  return { from: zone.startOfMonth(month), to: zone.startOfMonth(nextMonth(month)) };
}
