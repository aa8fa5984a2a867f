import { checkKinds } from "../../operation/check-kind.ts";
import { instant, isoOf, list, orNull } from "../../operation/command/answer-schema.ts";
import { calendarMonth, naira } from "../../operation/command/forms.ts";
import { formed, InputFault } from "../../operation/command/read-texts.ts";
import { command } from "../../operation/command.ts";
import { nairaOf } from "../../operation/money.ts";
import Type from "../../operation/schema/type.ts";
import { adjust } from "../books/adjust.ts";
import { statementOf } from "../books/statement.ts";
import type { BooksRoom } from "./period.ts";

const account = Type.String({ description: "The account.", placeholder: "id or e-mail" });

const writeStatement = command({
  id: "books.statement",
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
    month: formed(calendarMonth, { description: "The month, such as 2026-11.", placeholder: "month" }),
  }),
  answer: Type.Object({
    number: Type.String(),
    account: Type.String(),
    month: Type.String(),
    time_zone: Type.String(),
    from: Type.String(),
    to: Type.String(),
    sha256: Type.String(),
    sums: Type.Record(
      Type.String(),
      Type.Object({
        charges: Type.Integer(),
        adjustments: Type.Integer(),
        fees: Type.String(),
        days: Type.Record(Type.String(), Type.String()),
      }),
    ),
    lines: Type.Array(
      Type.Object({
        statement: Type.String(),
        account: Type.String(),
        time_zone: Type.String(),
        mode: Type.Enum(["test", "live"]),
        line: Type.Enum(["charge", "adjustment"]),
        day: Type.String(),
        time: Type.String(),
        reference: Type.String(),
        kind: Type.Enum([...checkKinds, ""]),
        fee: Type.String(),
        reason: Type.String(),
      }),
    ),
  }),
  columns: {
    time: "time",
    mode: "mode",
    line: "line",
    reference: "reference",
    kind: "kind",
    fee: { unit: "naira" },
    reason: "reason",
  },
  none: "The month has no charges.",
  first: 100,
  view: ({ lines: _, sums, ...head }) => [
    { record: head },
    "",
    {
      rows: Object.entries(sums).flatMap(([mode, { fees, days }]) => [
        ...Object.entries(days).map(([day, naira]) => ({ mode, day, naira })),
        { mode, day: "all", naira: fees },
      ]),
      none: "There are no sums.",
    },
    "",
    list,
  ],
  examples: [
    { account: "shop@example.com", month: "2026-10" },
    { account: "acc_5hR8kQ2m", month: "2026-10" },
  ],
  run: async ({ account, month }, { db, accounts, config: { timeZone: zone } }: BooksRoom) =>
    statementOf(db, { accountId: (await accounts.find(account)).id, month, zone, now: Date.now() }),
});

const reason = {
  form: "a sentence of at most 200 characters that begins with a letter or a digit",
  read: (text: string) => (/^[\p{L}\p{N}]\P{Cc}{0,199}$/u.test(text) ? text : undefined),
};

const adjustBooks = command({
  id: "books.adjust",
  summary:
    "Correct what an account was charged: a new line in this month's statement, which the client sees with its reason.",
  description: "Past statements do not change. Name no person in the reason.",
  role: "officer",
  kind: "change",
  gives: "money",
  input: Type.Object({
    account,
    mode: Type.Enum(["test", "live"], { description: "Test or live.", default: "live" }),
    credit: Type.Optional(formed(naira, { description: "Amount that the account gets back.", placeholder: "naira" })),
    debit: Type.Optional(formed(naira, { description: "Amount that the account pays.", placeholder: "naira" })),
    reference: Type.Optional(
      Type.String({
        description: "The request_reference of the verification that it is about.",
        placeholder: "reference",
      }),
    ),
    reason: formed(reason, { description: "Why, for the client.", placeholder: "sentence" }),
  }),
  answer: Type.Object({
    id: Type.String(),
    account: Type.String(),
    mode: Type.Enum(["test", "live"]),
    reference: orNull(Type.String()),
    fees: Type.String(),
    at: instant,
  }),
  view: ({ fees, account, id }) => [`Adjustment ${id} of ${fees} naira is on the books of ${account}.`],
  records: ["books.adjusted"],
  examples: [
    { account: "shop@example.com", credit: "100", reference: "3wKwKW719640695", reason: "Charged twice" },
    { account: "shop@example.com", credit: "2500.50", reason: "Goodwill for the outage of 3 November" },
  ],
  run: async ({ account, mode, credit, debit, reference, reason }, room: BooksRoom) => {
    const [amount, ...more] = [credit, debit].filter((kobo) => kobo !== undefined);
    if (!amount || more.length > 0) throw new InputFault("Give either a credit or a debit, above 0.");
    const { id: accountId, email } = await room.accounts.find(account);
    const kobo = credit === undefined ? amount : -amount;
    const { id, at } = await adjust(room, { accountId, mode, kobo, reason, reference });
    return { id, account: email, mode, reference: reference ?? null, fees: nairaOf(kobo), at: isoOf(at) };
  },
});

export const bookCommands = [writeStatement, adjustBooks];
