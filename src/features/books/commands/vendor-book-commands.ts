import { checkKinds } from "../../../declare/check-kind.ts";
import { digits, list, naira, orNull, reference, state, time } from "../../../declare/command/answer-schema.ts";
import { formed, InputError } from "../../../declare/command/read-texts.ts";
import { richText } from "../../../declare/command/rich-text.ts";
import { command } from "../../../declare/command.ts";
import { nairaText } from "../../../declare/money.ts";
import Type, { type Static } from "../../../declare/schema/type.ts";
import { type BooksRoom, period, periodOf } from "../../../ledger/commands/period.ts";
import { nextMonth, type TimeZone } from "../../../runtime/time-zone.ts";
import { type VendorPrices, vendorPrices } from "../../../vendors/vendor-prices.ts";
import { vendorChoice } from "../../../verification/commands/vendor-states.ts";
import { booksTrail } from "../books-trail.ts";
import { type InvoiceLine, type SumLine, timesOf } from "../invoice.ts";
import { type Difference, differences, type Pair } from "../match-invoice.ts";
import { priceAttempts } from "../price-attempts.ts";
import { reconcileInvoice } from "../reconcile-invoice.ts";
import { chosenInvoice, invoiceInput, monthPeriod } from "./invoice-input.ts";
import { sumBooks } from "./summary-command.ts";

const summed = { ...naira, sums: true } as const;
const sum = Type.Object({ count: Type.Integer({ sums: true }), vendor: orNull(summed), here: summed });
const SumOfInvoice = Type.Object({ what: Type.String(), ...sum.properties });

const meanings: Record<Difference, string> = {
  other_price: "another price",
  failed_here: "billed, but it failed or timed out here",
  no_price: "a price is not known",
  doubled: "billed twice",
  credit: "a credit without its line",
  only_vendor: "only the vendor has it",
  only_here: "not billed",
};

const checkInvoice = command({
  id: "books.reconcile",
  title: "Check an invoice",
  summary: "Compare the invoice of a vendor with the attempts that Duba made at it.",
  description:
    "The invoice is a CSV file with a heading line. Duba finds the attempt of each line by the vendor's reference " +
    "or by ours, else by the last four digits and the nearest time within 10 minutes. " +
    "It reads only these columns, and shows no whole number. A line with a total, or without reference, time and " +
    "number, is no attempt: it is left out, and compared with the sum of the lines above it.",
  onTerminal: "The exit code is 1 if there are differences.",
  role: "viewer",
  kind: "read",
  target: ["invoice"],
  input: Type.Object(invoiceInput("the months of its lines")),
  answer: Type.Object({
    vendor: Type.String(),
    from: time,
    to: time,
    lines: Type.Integer(),
    /** Sentences about lines that are no attempts. */
    left_out: orNull(Type.String()),
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
  }),
  columns: [
    ...(["difference", "line", "time", "vendor_reference", "request_reference", "digits"] as const),
    ...(["vendor_price", "our_price"] as const),
  ],
  none: "There are no differences.",
  first: 100,
  view: ({ vendor, from, to, lines, left_out, agreed, ...rest }, { at }) => [
    { note: richText`${lines} lines of ${{ vendor }}, from ${at(from)} until ${at(to)}.` },
    ...(left_out === null ? [] : [{ note: left_out }]),
    {
      row: SumOfInvoice,
      rows: [
        { what: "agree", ...agreed },
        ...differences.map((difference) => ({ what: meanings[difference], ...rest[difference] })),
      ],
      whole: true,
    },
    "",
    list,
  ],
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
      ["Time", "A time without an offset is in DUBA_TIME_ZONE."],
    ],
  },
  examples: [
    { vendor: "dojah", invoice: ["invoice.csv"] },
    { vendor: "dojah", invoice: ["invoice.csv"], month: "2026-10", price_column: "Unit cost" },
  ],
  run: async ({ vendor, month, ...invoice }, { db, config }: BooksRoom) => {
    const { timeZone: zone } = config;
    const { lines, sums: left } = await chosenInvoice(invoice, zone);
    const { from, to } = monthsOf(lines, month, zone);
    const found = await reconcileInvoice(db, lines, { vendor, from, to });
    const sumOf = (pairs: readonly Pair[]) => sumOfPairs(pairs, found.isPriced);
    const sums = Object.fromEntries(differences.map((name) => [name, sumOf(found.differences[name])]));
    // The attempt of a doubled line is already counted with its first line.
    sums.doubled!.here = 0;
    return {
      vendor,
      from,
      to,
      lines: lines.length,
      left_out: left.length === 0 ? null : left.map(leftOutText).join(" "),
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

/** Throws an `InputError` for prices of no kind, and for a period that is none. */
function pricedPeriod(prices: VendorPrices, days: Parameters<typeof periodOf>[0], { config }: BooksRoom) {
  if (!checkKinds.some((kind) => prices[kind] !== undefined))
    throw new InputError("Give the price of a kind of number, such as bvn=50.");
  return periodOf(days, config.timeZone);
}

export const vendorBookCommands = [checkInvoice, sumBooks, priceAttemptsCommand];

/** The period of an invoice: the given month, or the months of its lines. */
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

/** The configured reference column may be the one with the numbers of persons, so we hide those. */
function referenceIn(line: InvoiceLine | null): string | null {
  const reference = line?.reference ?? null;
  return reference !== null && /^\d{11}$/.test(reference) ? `*******${reference.slice(-4)}` : reference;
}
