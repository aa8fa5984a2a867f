import type { Static } from "typebox";
import { checkKinds } from "../../../operation/check-kind.ts";
import {
  list,
  naira,
  orNull,
  type Part,
  reference as referenceFact,
  time,
} from "../../../operation/command/answer-schema.ts";
import { calendarMonth, amount as nairaForm, remark } from "../../../operation/command/forms.ts";
import { flag, formed, InputError } from "../../../operation/command/read-texts.ts";
import { command } from "../../../operation/command.ts";
import { nairaOf, nairaText, waitsText } from "../../../operation/money.ts";
import Type from "../../../operation/schema/type.ts";
import { inTransaction, type WithClock } from "../../../storage/audited.ts";
import type { VendorPrices } from "../../../upstreams/vendor-prices.ts";
import { adjust } from "../../books/adjust.ts";
import { clientLetter, type LetterSettings } from "../../books/client-letter.ts";
import type { WithLooseMoney } from "../../books/loose-money.ts";
import { statementOf } from "../../books/statement.ts";
import type { BooksRoom } from "../period.ts";

interface Rebuilding {
  config: { vendorPrices: Readonly<Record<string, VendorPrices>> };
  progress: (done: number, all: number) => void;
}

const account = Type.String({ description: "The account.", placeholder: "id or e-mail" });

const DaySum = Type.Object({ day: Type.String(), fees: { ...naira, sums: true } });

const StatementRow = Type.Object({
  statement: Type.String(),
  account: Type.String(),
  time_zone: Type.String(),
  mode: Type.Enum(["test", "live"]),
  line: Type.Enum(["charge", "adjustment"]),
  day: Type.String(),
  time: Type.Unsafe<string>(time),
  reference: referenceFact,
  kind: Type.Enum([...checkKinds, ""]),
  fee: Type.Unsafe<string>(naira),
  reason: Type.String(),
});

const StatementAnswer = Type.Object({
  number: orNull(Type.String()),
  account: Type.String(),
  month: Type.String(),
  time_zone: Type.String(),
  from: Type.Unsafe<string>(time),
  to: Type.Unsafe<string>(time),
  sha256: Type.String(),
  sums: Type.Record(
    Type.String(),
    Type.Object({
      charges: Type.Integer(),
      adjustments: Type.Integer(),
      fees: Type.Unsafe<string>(naira),
      days: Type.Record(Type.String(), Type.Unsafe<string>(naira)),
    }),
  ),
  /** Only live lines with --for-client. */
  lines: Type.Array(StatementRow),
  client: Type.Optional(
    Type.Object({
      from: Type.String(),
      to: Type.String(),
      fees: Type.Unsafe<string>(naira),
      tax: Type.Unsafe<string>(naira),
      tax_percent: Type.Number(),
      tax_is: Type.Enum(["included", "added"]),
      total: Type.Unsafe<string>(naira),
    }),
  ),
});

/** The columns of a line that a client sees. */
const { time: at, reference: of, kind: checked, fee, reason: why } = StatementRow.properties;
const LetterRow = Type.Object({ time: at, reference: of, kind: checked, reason: why, fee: { ...fee, sums: true } });

const writeStatement = command({
  id: "books.statement",
  title: "Statement",
  summary: "Show what an account was charged in one month: each charge, each adjustment, and the sums by mode and day.",
  description:
    "The statement of a month is the same each time. It is complete an hour after the month ends in DUBA_TIME_ZONE, and available " +
    "for 24 months. It holds no personal data.",
  onTerminal: "--csv writes the lines.",
  role: "viewer",
  kind: "read",
  reports: true,
  input: Type.Object({
    account,
    month: Type.Optional(
      formed(calendarMonth, {
        description: "The month, such as 2026-11. Default: the last one.",
        placeholder: "month",
      }),
    ),
    so_far: flag("What the running month holds so far. It has no number, because it is no statement yet."),
    for_client: flag(
      "As a letter to the client: the live lines, both names and the tax, from DUBA_BUSINESS and DUBA_TAX.",
    ),
  }),
  answer: StatementAnswer,
  columns: ["time", "mode", "line", "reference", "kind", "fee", "reason"],
  none: "The month has no charges.",
  first: 100,
  view: ({ lines, sums, client, ...head }) => [
    ...(client ? letterView(client, head, lines) : []),
    ...(client ? [] : statementView(sums, head)),
  ],
  examples: [
    { account: "shop@example.com", month: "2026-10" },
    { account: "acc_5hR8kQ2m", month: "2026-10", for_client: true },
    { account: "shop@example.com", so_far: true },
  ],
  run: async (
    { account, month: asked, so_far: soFar = false, for_client },
    { db, accounts, config }: BooksRoom & { config: LetterSettings },
  ) => {
    const { timeZone: zone } = config;
    const [now, client] = [Date.now(), await accounts.find(account)];
    const running = zone.monthOf(now);
    const month = asked ?? (soFar ? running : zone.monthOf(zone.startOfMonth(running) - 1));
    const statement = await statementOf(db, { accountId: client.id, month, zone, now, soFar });
    if (!for_client) return statement;
    const { lines, ...letter } = clientLetter(statement, client, config);
    return { ...statement, lines, client: letter };
  },
});

/** Kobo of an amount in naira. */
const koboIn = (text: string) => Math.round(Number(text) * 100);

type Shown = Static<typeof StatementAnswer>;

function statementView(sums: Shown["sums"], head: object): Part[] {
  return [
    { record: head as Record<string, unknown> },
    "",
    ...Object.entries(sums).flatMap(([mode, { days }]): Part[] => {
      const rows = Object.entries(days).map(([day, fees]) => ({ day, fees }));
      return [{ title: `Sums of ${mode} mode`, rows, row: DaySum }, ""];
    }),
    { ...list, title: "Lines" },
  ];
}

/** All lines, because the client gets the letter as it is and the first hundred would not do. */
function letterView(
  { from, to, fees, tax, tax_percent, tax_is, total }: NonNullable<Shown["client"]>,
  head: Pick<Shown, "number" | "month" | "from" | "to" | "time_zone" | "sha256">,
  lines: Shown["lines"],
): Part[] {
  const taxed = { added: `${tax_percent} % on top`, included: `${tax_percent} % in the fees` }[tax_is];
  return [
    {
      record: {
        from: from || "Set DUBA_BUSINESS",
        to,
        [head.number === null ? "so far" : "statement"]: head.number ?? head.month,
        month: head.month,
        time_zone: head.time_zone,
      },
    },
    "",
    { rows: lines, row: LetterRow, whole: true, none: "The month has no charges." },
    "",
    {
      record: {
        fees: nairaText(koboIn(fees)),
        ...(tax_percent > 0 && { [`tax, ${taxed}`]: nairaText(koboIn(tax)) }),
        total: nairaText(koboIn(total)),
      },
    },
    { note: `SHA-256 of the whole statement: ${head.sha256}` },
  ];
}

const reason = {
  ...remark,
  form: "a sentence of at most 200 characters that begins with a letter or a digit",
  read: (text: string) => (/^[\p{L}\p{N}]\P{Cc}{0,199}$/u.test(text) ? remark.read(text) : undefined),
};

const adjustBooks = command({
  id: "books.adjust",
  title: "Give back…",
  summary:
    "Correct what an account was charged: a new line in this month's statement, which the client sees with its reason.",
  description:
    "Past statements do not change. Name no person in the reason. What goes back for a verification is never more than its charge. Without a reference it is at most what the " +
    "account was charged last month; with DUBA_FOUR_EYES on, a second person gives what is more.",
  role: "officer",
  kind: "change",
  gives: "money",
  fills: ({ request_reference: reference, account, mode, charge_left: left }) =>
    typeof left === "number" && left > 0
      ? {
          input: { account: String(account), mode: String(mode), reference: String(reference), credit: nairaOf(left) },
          title: `Give back ${nairaText(left)}…`,
        }
      : undefined,
  input: Type.Object({
    account,
    mode: Type.Enum(["test", "live"], { description: "Test or live.", default: "live" }),
    credit: Type.Optional(
      formed(nairaForm, { description: "Amount that the account gets back.", placeholder: "naira" }),
    ),
    debit: Type.Optional(formed(nairaForm, { description: "Amount that the account pays.", placeholder: "naira" })),
    reference: Type.Optional(
      Type.String({
        description: "The request_reference of the verification that it is about.",
        placeholder: "reference",
      }),
    ),
    reason: formed(reason, { description: "Why, for the client.", placeholder: "sentence" }),
    sure: flag(
      "Correct a verification that was corrected before, or, without a reference, more than the account was charged last month.",
    ),
  }),
  answer: Type.Object({
    id: orNull(Type.String()),
    account: Type.String(),
    mode: Type.Enum(["test", "live"]),
    reference: orNull(referenceFact),
    fees: naira,
    at: orNull(time),
  }),
  view: ({ fees, account, id }) => [
    id === null ? waitsText(fees) : `Adjustment ${id} of ${nairaText(fees)} is on the books of ${account}.`,
  ],
  records: ["books.adjusted", "money.requested"],
  examples: [
    { account: "shop@example.com", credit: "100", reference: "3wKwKW719640695", reason: "Charged twice" },
    { account: "shop@example.com", credit: "2500.50", reason: "Goodwill for the outage of 3 November" },
  ],
  run: async ({ account, mode, credit, debit, reference, reason, sure = false }, room: BooksRoom & WithLooseMoney) => {
    const [amount, ...more] = [credit, debit].filter((kobo) => kobo !== undefined);
    if (!amount || more.length > 0) throw new InputError("Give either a credit or a debit, above 0.");
    const { id: accountId, email } = await room.accounts.find(account);
    const kobo = credit === undefined ? amount : -amount;
    const isLoose = mode === "live" && reference === undefined;
    const correction = { accountId, mode, kobo, reason, reference, sure };
    const { id, at } = await inTransaction(room.db, async (trx) =>
      isLoose && !(await room.mayGive(trx, { what: "correction", accountId, kobo }, sure))
        ? { id: null, at: null }
        : adjust({ ...room, db: trx }, correction),
    );
    return { id, account: email, mode, reference: reference ?? null, fees: kobo, at };
  },
});

const rebuildSumsCommand = command({
  id: "books.rebuild-sums",
  title: "Add up anew…",
  summary: "Make the sums of hours and days anew where they are not what the ledger adds up to.",
  description:
    "`duba routes show` reads these sums. Verifications go on meanwhile, and the command can be stopped and run again. Use it if `duba audit reconcile` " +
    "finds a difference in them, or after you changed DUBA_TIME_ZONE.",
  role: "operator",
  kind: "change",
  store: "untimed",
  counts: "days",
  input: Type.Object({}),
  answer: Type.Object({
    days: Type.Integer(),
    rebuilt: Type.Integer(),
    refused: Type.Array(Type.String(), {
      description: "Sums that were left: the ledger has fewer attempts than the journal told.",
    }),
  }),
  isWell: ({ refused }) => refused.length === 0,
  view: ({ days, rebuilt, refused }) => [
    ...refused.map((sum) => `Not made anew: ${sum}. The ledger has lost attempts that were told.`),
    rebuilt === 0 && refused.length > 0
      ? `No other sum is wrong: ${days} days.`
      : rebuilt === 0
        ? `All sums are what the ledger adds up to: ${days} days.`
        : `${rebuilt} ${rebuilt === 1 ? "sum was" : "sums were"} wrong and ${rebuilt === 1 ? "is" : "are"} right now: ${days} days.`,
  ],
  records: ["books.rebuilt"],
  guide: {
    heading: "What it cannot know:",
    items: [["Time", "Sums of hours are kept for 72 hours, those of days for 24 months. Older ones stay as they are."]],
  },
  examples: [{}],
  run: async (_, room: BooksRoom & WithClock & Rebuilding) => {
    const { rebuildSums } = await import("../../ledger/journal/rebuild-sums.ts");
    return rebuildSums(room, room.config.timeZone, await room.accounts.emails());
  },
});

export const bookCommands = [writeStatement, adjustBooks, rebuildSumsCommand];
