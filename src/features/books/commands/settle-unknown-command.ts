import {
  digits,
  list,
  naira,
  orNull,
  reference as referenceFact,
  state,
  time,
} from "../../../declare/command/answer-schema.ts";
import { remark } from "../../../declare/command/forms.ts";
import { flag, formed, InputError } from "../../../declare/command/read-texts.ts";
import { richText } from "../../../declare/command/rich-text.ts";
import { command } from "../../../declare/command.ts";
import Type from "../../../declare/schema/type.ts";
import { ledgerTrail } from "../../../ledger/ledger-trail.ts";
import { publicState, publicStates } from "../../../ledger/public-state.ts";
import { erased } from "../../../storage/erase-verifications.ts";
import type { VendorPrices } from "../../../vendors/vendor-prices.ts";
import type { InvoiceLine } from "../invoice.ts";
import { type Decision, decideUnknowns, settleUnknowns, type UnknownEnd, unknownEnds } from "../settle-unknowns.ts";
import {
  chosenInvoice,
  type InvoiceRoom,
  invoiceInput,
  invoiceMonth,
  monthPeriod,
  offeredColumns,
} from "./invoice-input.ts";

type Room = InvoiceRoom & {
  config: { vendorPrices: Readonly<Record<string, VendorPrices>> };
  progress: (done: number, all: number) => void;
};

const ends = Object.keys(unknownEnds) as UnknownEnd[];
/** Results that neither a later invoice nor time can resolve: an operator has to. */
const needHands: readonly UnknownEnd[] = ["ambiguous", "other_vendor"];

const SumOfEnd = Type.Object({
  what: Type.String(),
  count: Type.Integer({ sums: true }),
  vendor: { ...naira, sums: true },
});

/** Settles or releases verifications with an unknown outcome from an invoice. */
export const settleUnknown = command({
  id: "books.settle-unknown",
  title: "Settle by an invoice…",
  summary: "Settle or release all verifications with an unknown outcome at a vendor, as its invoice says.",
  description: `Each is settled or released as \`duba ledger settle\` and \`duba ledger release\` do it. Nobody can undo that. No client is charged.
What is not on the invoice is released: the vendor did no work for it. What is on it is settled if its price is the one of a single outcome, such as \
bvn.not_found; else it is released, and its cost stays in the books. What a line may mean beside another verification is left. \
An attempt without an outcome is ended likewise where its verification has one, which stays.
Run again, it does what is left, so it may be stopped at any time.`,
  onTerminal: "The exit code is 1 if something is left that needs a hand.",
  role: "officer",
  kind: "change",
  gives: "money",
  givesNothing: ({ dry_run }) => dry_run === true,
  target: ["invoice"],
  input: Type.Object({
    ...invoiceInput,
    month: invoiceMonth("the time between its first line and its last"),
    reason: formed(remark, {
      description: "Which invoice it is, for the audit trail. Name no person in it.",
      minLength: 1,
    }),
    dry_run: flag("Show what would happen, and change nothing."),
  }),
  answer: Type.Object({
    vendor: Type.String(),
    state: state(["done", "dry run"]),
    lines: Type.Integer(),
    verifications: Type.Array(
      Type.Object({
        request_reference: referenceFact,
        result: state(ends, { words: unknownEnds }),
        outcome: state(publicStates),
        started_at: time,
        digits,
        line: orNull(Type.Integer()),
        vendor_price: orNull(naira),
      }),
    ),
  }),
  none: "No verification and no attempt at this vendor has an unknown outcome.",
  first: 100,
  view: ({ vendor, state, lines, verifications }) => [
    { note: richText`${lines} lines of ${{ vendor }}.` },
    ...(verifications.length === 0 ? [] : [{ row: SumOfEnd, rows: sumsOf(verifications), whole: true as const }, ""]),
    list,
    ...(state === "dry run" ? [{ note: "Nothing was changed: this was a dry run." }] : []),
  ],
  offers: { before: offeredColumns },
  does: ({ state, verifications }) => {
    const many = verifications.filter(isEnded).length;
    return state === "dry run" && many > 0 ? `End ${many} by this invoice` : undefined;
  },
  isWell: ({ verifications }) => !verifications.some(({ result }) => needHands.includes(result)),
  counts: "verifications",
  records: [ledgerTrail.verificationSettled, ledgerTrail.attemptSettled],
  examples: [
    { vendor: "dojah", invoice: ["invoice.csv"], month: "2026-10", reason: "Invoice 4411", dry_run: true },
    { vendor: "dojah", invoice: ["invoice.csv"], month: "2026-10", reason: "Invoice 4411" },
  ],
  mayBeDanger: true,
  effect: async ({ dry_run, ...invoice }, room: Room) => {
    if (dry_run) return { says: [] };
    const ended = (await decideBy(invoice, room)).decided.map(factsOf).filter(isEnded);
    if (ended.length === 0) return { says: [] };
    const parts = sumsOf(ended).map(({ what, count }) => `${count} ${what}`);
    return {
      isDanger: true,
      says: [`${ended.length} are ended by this invoice: ${parts.join("; ")}.`, "Nobody can undo this."],
    };
  },
  run: async ({ vendor, reason, dry_run, ...invoice }, room: Room) => {
    const { lines, decided } = await decideBy({ vendor, ...invoice }, room);
    const done = dry_run ? decided : await settleUnknowns(room, decided, reason);
    return {
      vendor,
      state: dry_run ? ("dry run" as const) : ("done" as const),
      lines: lines.length,
      verifications: done.map(factsOf),
    };
  },
});

/** Reads an invoice and the month that it covers completely, and returns its lines and what they decide. */
async function decideBy(
  { month, ...invoice }: { month?: string } & Parameters<typeof chosenInvoice>[0],
  room: Room,
): Promise<{ lines: readonly InvoiceLine[]; decided: Decision[] }> {
  const { now } = room;
  const { timeZone: zone } = room.config;
  const whole = month === undefined ? undefined : monthPeriod(month, zone);
  if (whole && whole.to > now())
    throw new InputError(`${month} is not over, so an invoice cannot have all of it. Leave out the month.`);
  const { vendor } = invoice;
  const { lines } = await chosenInvoice(invoice, room);
  const prices = room.config.vendorPrices[vendor];
  return { lines, decided: await decideUnknowns(room, { vendor, lines, whole, prices }) };
}

function isEnded({ result }: { result: UnknownEnd }): boolean {
  return !unknownEnds[result].startsWith("left");
}

function sumsOf(verifications: readonly { result: UnknownEnd; vendor_price: number | null }[]) {
  return ends.flatMap((end) => {
    const some = verifications.filter(({ result }) => result === end);
    const vendor = some.reduce((sum, { vendor_price }) => sum + (vendor_price ?? 0), 0);
    return some.length === 0 ? [] : [{ what: unknownEnds[end], count: some.length, vendor }];
  });
}

function factsOf({ row, end, as, listed }: Decision) {
  const prices = listed.flatMap(({ line: { price } }) => price ?? []);
  return {
    request_reference: row.reference,
    result: end,
    outcome: row.state === "unknown" ? (as ?? ("unknown" as const)) : publicState(row),
    started_at: row.started_at,
    digits: row.subject_last4 === erased ? erased : row.subject_last4,
    line: listed.at(-1)?.line.line ?? null,
    vendor_price: prices.length === 0 ? null : prices.reduce((sum, price) => sum + price),
  };
}
