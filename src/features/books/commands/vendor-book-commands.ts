import { checkKinds } from "../../../declare/check-kind.ts";
import {
  digits,
  list,
  naira,
  orNull,
  type Part,
  reference,
  state,
  time,
} from "../../../declare/command/answer-schema.ts";
import { formed, InputError } from "../../../declare/command/read-texts.ts";
import { richText } from "../../../declare/command/rich-text.ts";
import { command } from "../../../declare/command.ts";
import { nairaText } from "../../../declare/money.ts";
import Type, { type Static, type TString } from "../../../declare/schema/type.ts";
import { type BooksRoom, period, periodOf } from "../../../ledger/commands/period.ts";
import { nextMonth, type TimeZone } from "../../../runtime/time-zone.ts";
import { type VendorPrices, vendorPrices } from "../../../vendors/vendor-prices.ts";
import { vendorChoice } from "../../../verification/commands/vendor-states.ts";
import { booksTrail } from "../books-trail.ts";
import { type InvoiceLine, type SumLine, timesOf } from "../invoice.ts";
import { type InvoiceColumn, invoiceColumns } from "../invoice-columns.ts";
import { type Difference, differences, type Pair } from "../match-invoice.ts";
import { priceAttempts } from "../price-attempts.ts";
import { reconcileInvoice } from "../reconcile-invoice.ts";
import {
  chosenInvoice,
  type InvoiceRoom,
  invoiceInput,
  invoiceMonth,
  monthPeriod,
  offeredColumns,
  offeredIn,
  rememberColumns,
} from "./invoice-input.ts";
import { sumBooks } from "./summary-command.ts";

const summed = { ...naira, sums: true } as const;
const sum = Type.Object({ count: Type.Integer({ sums: true }), vendor: orNull(summed), here: summed });
const SumOfInvoice = Type.Object({ what: Type.String(), ...sum.properties });

const columnsRead = Object.fromEntries(invoiceColumns.map((column) => [column, orNull(Type.String())])) as Record<
  InvoiceColumn,
  ReturnType<typeof orNull<TString>>
>;

/** Differences in which the vendor may bill more than Duba counted. */
const disputable: readonly Difference[] = ["other_price", "failed_here", "doubled", "only_vendor"];

const meanings: Record<Difference, string> = {
  other_price: "another price",
  failed_here: "billed, but it failed or timed out here",
  no_price: "a price is not known",
  doubled: "billed twice",
  credit: "a credit without its line",
  only_vendor: "only the vendor has it",
  of_erased: "perhaps of an erased person",
  only_here: "not billed",
};

const Checked = Type.Object({
  vendor: Type.String(),
  from: time,
  to: time,
  lines: Type.Integer(),
  /** Sentences about lines that belong to no attempt. */
  left_out: orNull(Type.String()),
  /** The amount by which disputable lines exceed Duba's own bills. Null: the invoice has no prices. */
  disputed: orNull(naira),
  /** The file's headings, and the heading of each column that was read. */
  headings: Type.Array(Type.String()),
  read: Type.Object(columnsRead),
  agreed: sum,
  ...(Object.fromEntries(differences.map((name) => [name, sum])) as Record<Difference, typeof sum>),
  differences: Type.Array(
    Type.Object({
      difference: state(differences, { words: meanings }),
      line: orNull(Type.Integer()),
      vendor_reference: orNull(reference),
      request_reference: orNull(reference),
      attempt: orNull(Type.Integer()),
      time: orNull(time),
      digits: orNull(digits),
      vendor_price: orNull(naira),
      our_price: orNull(naira),
    }),
  ),
});

/** The answer for people: a sentence, the groups that have rows, and the differences. */
function partsOf({ vendor, lines, left_out, agreed, disputed, ...rest }: Static<typeof Checked>): Part[] {
  const groups = [
    { what: "agree", ...agreed },
    ...differences.map((difference) => ({ what: meanings[difference], ...rest[difference] })),
  ].filter(({ count }) => count > 0);
  const many = rest.differences.length;
  return [
    { text: richText`${{ vendor }}: ${verdict({ lines, agreed, disputed, many })}` },
    ...(left_out === null ? [] : [{ note: left_out }]),
    ...(many === 0 ? [] : [{ row: SumOfInvoice, rows: groups, whole: true as const }, "", list]),
  ];
}

/** A sentence about the compared period, and the columns that were read. */
function readText({ from, to, read }: Static<typeof Checked>, at: (time: number) => string): string {
  const columns = invoiceColumns.flatMap((column) =>
    read[column] === null ? [] : `“${read[column]}” as ${calledColumns[column]}`,
  );
  return `Attempts from ${at(from)} until ${at(to)}. Read: ${columns.join(", ")}.`;
}

const checkInvoice = command({
  id: "books.reconcile",
  title: "Check an invoice",
  summary: "Compare the invoice of a vendor with the attempts that Duba made at it.",
  description:
    "The invoice is a CSV file with a heading line. Duba finds the attempt of each line by the vendor's reference " +
    "or by ours, else by the last four digits and the nearest time within 10 minutes. " +
    "Titles above the heading are left out. A column without a usual heading is guessed, unless you name it: then " +
    "Duba remembers its heading for the next invoice of this vendor. " +
    "It reads only these columns, and shows no whole number. A line with a total, or without reference, time and " +
    "number, is no attempt: it is left out, and compared with the sum of the lines above it.",
  onTerminal: "The exit code is 1 if there are differences.",
  role: "viewer",
  kind: "read",
  target: ["invoice"],
  input: Type.Object({ ...invoiceInput, month: invoiceMonth("the months of its lines", { folded: true }) }),
  answer: Checked,
  columns: [
    ...(["difference", "line", "time", "vendor_reference", "request_reference", "digits"] as const),
    ...(["vendor_price", "our_price"] as const),
  ],
  none: "There are no differences.",
  first: 100,
  view: (answer, { at }) => [...partsOf(answer), { note: readText(answer, at) }],
  onPage: partsOf,
  figures: (answer, { at }) => readText(answer, at),
  offers: {
    before: offeredColumns,
    after: ({ vendor, headings, read }) => ({ offered: offeredIn(headings, read), texts: { vendor } }),
  },
  handsOut: { title: "CSV for the vendor", fits: ({ difference }) => disputable.includes(difference) },
  isWell: (answer) => answer.differences.length === 0,
  guide: {
    heading: "What to know:",
    items: [
      [
        "Price",
        "Set DUBA_UPSTREAM_PRICES before the month. Duba writes the bill on each attempt that ends. " +
          "Without a price each line with one is a difference: correct the bills with duba books price.",
      ],
      ["Not billed", "What failed, and what nobody knows whether the vendor bills, need not be on the invoice."],
      [
        "An erased person",
        "An erasure takes the digits. A line that fits only the time of such an attempt is not disputed.",
      ],
      ["Time", "A time without an offset is in DUBA_TIME_ZONE."],
    ],
  },
  examples: [
    { vendor: "dojah", invoice: ["invoice.csv"] },
    { vendor: "dojah", invoice: ["invoice.csv"], month: "2026-10", price_column: "Unit cost" },
  ],
  run: async ({ vendor, month, ...invoice }, room: InvoiceRoom) => {
    const { timeZone: zone } = room.config;
    const {
      lines,
      sums: left,
      headings,
      columns,
    } = await chosenInvoice({ vendor, ...invoice }, room, { guesses: true });
    await rememberColumns(room, { vendor, ...invoice });
    const { from, to } = monthsOf(lines, month, zone);
    const found = await reconcileInvoice(room.db, lines, { vendor, from, to });
    const sumOf = (pairs: readonly Pair[]) => sumOfPairs(pairs, found.isPriced);
    const sums = Object.fromEntries(differences.map((name) => [name, sumOf(found.differences[name])]));
    // A doubled line's attempt is already counted with its first line.
    sums.doubled!.here = 0;
    return {
      vendor,
      from,
      to,
      lines: lines.length,
      left_out: left.length === 0 ? null : left.map(leftOutText).join(" "),
      disputed: found.isPriced ? disputable.reduce((all, name) => all + tooMuch(sums[name]!), 0) : null,
      headings: [...headings],
      read: columns,
      agreed: sumOf(found.agreed),
      ...(sums as Record<Difference, ReturnType<typeof sumOf>>),
      differences: differences.flatMap((difference) =>
        found.differences[difference].map((pair) => ({ difference, ...factsOf(pair) })),
      ),
    };
  },
});

const priceAttemptsCommand = command({
  id: "books.price",
  title: "Give old questions a price…",
  summary: "Correct what a vendor billed for the attempts of a period.",
  description:
    "Name all its prices of the period: an outcome that is not named costs what its kind does, " +
    "and a failed one nothing. What the vendor said of a bill stays. Attempts under way are left out.",
  role: "officer",
  kind: "change",
  gives: "money",
  target: ["prices"],
  input: Type.Object({
    prices: formed(vendorPrices, {
      description: "What the vendor billed, by kind of number and outcome, such as bvn=70,bvn.not_found=20,nin=90.",
      placeholder: "prices",
    }),
    vendor: vendorChoice("The vendor of the attempts."),
    ...period,
  }),
  answer: Type.Object({
    vendor: Type.String(),
    from: time,
    to: time,
    attempts: Type.Integer(),
    changed: Type.Integer(),
    before: naira,
    after: naira,
  }),
  view: ({ vendor, attempts, changed, from, to, before, after }, { at }) => [
    {
      text: richText`${changed} of ${attempts} attempts at ${{ vendor }} from ${at(from)} until ${at(to)} have another bill now: ${nairaText(after)} in all, before ${nairaText(before)}.`,
    },
  ],
  records: [booksTrail.priced],
  examples: [{ prices: "bvn=50,bvn.not_found=0,nin=40", vendor: "dojah", from: "2026-10-01", to: "2026-10-31" }],
  effect: async ({ prices, vendor: _, ...days }, room: BooksRoom) => {
    pricedPeriod(prices, days, room);
    return { says: [] };
  },
  run: async ({ prices, vendor, ...days }, room: BooksRoom) => {
    const { from, to } = pricedPeriod(prices, days, room);
    return { vendor, from, to, ...(await priceAttempts(room, { vendor, prices, from, to })) };
  },
});

/** Throws an `InputError` if no price is of a kind of check, or if the period is invalid. */
function pricedPeriod(prices: VendorPrices, days: Parameters<typeof periodOf>[0], { config }: BooksRoom) {
  if (!checkKinds.some((kind) => prices[kind] !== undefined))
    throw new InputError("Give the price of a kind of number, such as bvn=50.");
  return periodOf(days, config.timeZone);
}

export const vendorBookCommands = [checkInvoice, sumBooks, priceAttemptsCommand];

/** Returns the period of an invoice: the given month, or all months of its lines. */
function monthsOf(
  lines: readonly InvoiceLine[],
  month: string | undefined,
  zone: TimeZone,
): { from: number; to: number } {
  if (month !== undefined) return monthPeriod(month, zone);
  const { from, to } = timesOf(lines);
  return {
    from: zone.startOfMonth(zone.monthOf(from)),
    to: zone.startOfMonth(nextMonth(zone.monthOf(to - 1))),
  };
}

/** `isPriced`: whether the invoice has prices. */
function sumOfPairs(pairs: readonly Pair[], isPriced: boolean): Static<typeof sum> {
  const add = (of: (pair: Pair) => number | null | undefined) => pairs.reduce((sum, pair) => sum + (of(pair) ?? 0), 0);
  const vendor = isPriced ? add(({ line }) => line?.price) : null;
  return { count: pairs.length, vendor, here: add(({ attempt }) => attempt?.price) };
}

/** The excess of the vendor's amount over ours, in kobo. */
function tooMuch({ vendor, here }: Static<typeof sum>): number {
  return (vendor ?? 0) - here;
}

interface Verdict {
  lines: number;
  agreed: Static<typeof sum>;
  disputed: number | null;
  /** The number of differences. */
  many: number;
}

/** The result of the comparison in one sentence. */
function verdict({ lines, agreed, disputed, many }: Verdict): string {
  const sum = agreed.vendor === null ? "" : `: ${nairaText(agreed.vendor)}`;
  if (many === 0)
    return lines === 1 ? `the one line agrees${sum}.` : `all ${lines.toLocaleString("en")} lines agree${sum}.`;
  const agree = `${agreed.count.toLocaleString("en")} of ${lines.toLocaleString("en")} lines agree`;
  if (disputed === null) return `${agree}, and there are ${many} differences. The invoice has no prices.`;
  return disputed === 0 ? `${agree}, and nothing is disputed.` : `${agree}, and ${nairaText(disputed)} is disputed.`;
}

const calledColumns: Readonly<Record<InvoiceColumn, string>> = {
  reference: "reference",
  time: "time",
  digits: "number",
  price: "sum",
};

function leftOutText({ line, price, above }: SumLine): string {
  const start = `Line ${line} is no attempt, and is left out`;
  if (price === null) return `${start}.`;
  if (price === above) return `${start}: its ${nairaText(price)} is what the lines above add up to.`;
  return `${start}: it says ${nairaText(price)}, and the lines above add up to ${nairaText(above)}.`;
}

function factsOf({ line, attempt }: Pair) {
  return {
    line: line?.line ?? null,
    vendor_reference: referenceIn(line) ?? attempt?.vendor_reference ?? null,
    request_reference: attempt?.reference ?? null,
    attempt: attempt?.number ?? null,
    time: attempt?.started_at ?? line?.time?.from ?? null,
    digits: attempt?.last4 ?? line?.last4 ?? null,
    vendor_price: line?.price ?? null,
    our_price: attempt?.price ?? null,
  };
}

/** A wrong column may have been read as references, such as the one with BVNs: we mask those. */
function referenceIn(line: InvoiceLine | null): string | null {
  const reference = line?.reference ?? null;
  return reference !== null && /^\d{11}$/.test(reference) ? `*******${reference.slice(-4)}` : reference;
}
