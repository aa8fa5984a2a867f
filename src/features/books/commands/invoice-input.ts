import { calendarMonth } from "../../../declare/command/forms.ts";
import { type ChosenFile, files, formed, InputError, type MemberOptions } from "../../../declare/command/read-texts.ts";
import type { Offered } from "../../../declare/command.ts";
import Type from "../../../declare/schema/type.ts";
import { nextMonth, type TimeZone } from "../../../runtime/time-zone.ts";
import type { Audited, WithClock } from "../../../storage/audited.ts";
import { upsert } from "../../../storage/queries/upsert.ts";
import type { Db } from "../../../storage/tables.ts";
import { vendorChoice } from "../../../verification/commands/vendor-states.ts";
import { type Invoice, readHeadings, readInvoice } from "../invoice.ts";
import { type ColumnNames, type InvoiceColumn, invoiceColumns, noColumn } from "../invoice-columns.ts";

/** The part of the command context that reading an invoice needs. */
export type InvoiceRoom = Audited & WithClock & { config: { timeZone: TimeZone } };

const columnOption = (label: string, about: string) =>
  Type.Optional(
    Type.String({
      description: `Heading of the column with ${about}, or ${noColumn}.`,
      placeholder: "heading",
      label,
      offered: true,
    }),
  );

/** Members of commands that read an invoice. */
export const invoiceInput = {
  vendor: vendorChoice("Whose invoice it is."),
  invoice: files({ description: "The invoice, as CSV.", placeholder: "file" }),
  reference_column: columnOption("Reference", "the vendor's reference"),
  time_column: columnOption("Time", "the time"),
  digits_column: columnOption("Number", "the number or its last four digits"),
  price_column: columnOption("Sum", "the price in naira"),
};

export const invoiceMonth = (defaultMonth: string, more: Partial<MemberOptions> = {}) =>
  Type.Optional(
    formed(calendarMonth, {
      description: `Month of the invoice. Default: ${defaultMonth}.`,
      placeholder: "month",
      ...more,
    }),
  );

type Named = Partial<Record<`${InvoiceColumn}_column`, string>>;
type InvoiceInput = { vendor: string; invoice: readonly ChosenFile[] } & Named;

/**
 * Reads the chosen invoice by the given headings. `guesses`: tries headings of the vendor's earlier invoices and the
 * meaning of cells as well. Throws an `InputError` unless there is one file, and the errors of `readInvoice`.
 */
export async function chosenInvoice(
  { vendor, invoice: [file, ...more], ...given }: InvoiceInput,
  { db, config }: InvoiceRoom,
  { guesses = false } = {},
): Promise<Invoice> {
  if (!file || more.length > 0) throw new InputError("Give one invoice.");
  const names = namesIn(given);
  const named = guesses ? { names, remembered: await rememberedColumns(db, vendor), guesses } : { names };
  return readInvoice(file, config.timeZone, named);
}

/** Returns the headings of the chosen file, and the ones that would be used. */
export async function offeredColumns(
  { vendor, invoice: [file] = [], ...given }: Partial<InvoiceInput>,
  { db, config }: InvoiceRoom,
): Promise<Offered> {
  if (!file) return {};
  const remembered = vendor === undefined ? {} : await rememberedColumns(db, vendor);
  const { headings, columns } = await readHeadings(file, config.timeZone, { remembered, guesses: true });
  // The given heading may be one of a file that the person chose before.
  const chosen = Object.entries(namesIn(given)).filter(
    ([, name]) => name === noColumn || headings.includes(name ?? ""),
  );
  return offeredIn(headings, { ...columns, ...Object.fromEntries(chosen) });
}

/** Returns the headings of an invoice as suggestions, with the ones that were used. */
export function offeredIn(
  headings: readonly string[],
  columns: Readonly<Partial<Record<InvoiceColumn, string | null | undefined>>>,
): Offered {
  const words = [...headings.map((word) => ({ word, text: word })), { word: noColumn, text: "None" }];
  return Object.fromEntries(
    invoiceColumns.map((column) => [`${column}_column`, { words, chosen: columns[column] ?? noColumn }]),
  );
}

function namesIn(given: Named): ColumnNames {
  return Object.fromEntries(
    invoiceColumns.flatMap((column) => {
      const name = given[`${column}_column`];
      return name === undefined ? [] : [[column, name]];
    }),
  );
}

const nameOf = (vendor: string) => `invoice-columns:${vendor}`;

async function rememberedColumns(db: Db, vendor: string): Promise<ColumnNames> {
  const row = await db.selectFrom("fact").select("value").where("name", "=", nameOf(vendor)).executeTakeFirst();
  return row ? JSON.parse(row.value) : {};
}

/** Stores the given headings for the vendor's next invoice. */
export async function rememberColumns({ db, now }: InvoiceRoom, { vendor, ...given }: { vendor: string } & Named) {
  const before = await rememberedColumns(db, vendor);
  const value = JSON.stringify({ ...before, ...namesIn(given) });
  if (value !== JSON.stringify(before))
    await upsert(db, "fact", { name: nameOf(vendor) }, { value, created_at: now() });
}

/** Returns start and end of a month, in milliseconds since 1970. */
export function monthPeriod(month: string, zone: TimeZone): { from: number; to: number } {
  return { from: zone.startOfMonth(month), to: zone.startOfMonth(nextMonth(month)) };
}
