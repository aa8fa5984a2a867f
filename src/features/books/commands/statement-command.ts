import { list, naira, orNull, type Part } from "../../../declare/command/answer-schema.ts";
import { calendarMonth } from "../../../declare/command/forms.ts";
import { flag, formed } from "../../../declare/command/read-texts.ts";
import { command } from "../../../declare/command.ts";
import { nairaText } from "../../../declare/money.ts";
import Type from "../../../declare/schema/type.ts";
import type { BooksRoom } from "../../../ledger/commands/period.ts";
import { nobodyYet } from "../business-settings.ts";
import { Statement, StatementLine } from "../statement-shapes.ts";
import { costName, type LetterConfig, signedKobo, statementTotals } from "../statement-totals.ts";

const DaySum = Type.Object({ day: Type.String(), fees: { ...naira, sums: true } });

/** The columns of a line on a client's letter. */
const { time: at, reference: of, kind: checked, fee, reason: why } = StatementLine.properties;
const LetterRow = Type.Object({ time: at, reference: of, kind: checked, reason: why, fee: { ...fee, sums: true } });

const CostRow = Type.Object({
  what: Type.String(),
  count: Type.Integer(),
  price: orNull({ ...naira, none: "" }),
  fees: { ...naira, sums: true },
});

export const statementCommand = command({
  id: "books.statement",
  title: "Statement",
  summary: "Show what an account was charged in one month: each charge, each adjustment, and the sums by mode and day.",
  description:
    "The statement of a month is the same each time. It is complete an hour after the month ends in " +
    "DUBA_TIME_ZONE, and available for 24 months. It holds no personal data.",
  onTerminal: "--csv writes the lines.",
  role: "viewer",
  kind: "read",
  reports: true,
  input: Type.Object({
    account: Type.String({ description: "The account.", placeholder: "id or e-mail" }),
    month: Type.Optional(
      formed(calendarMonth, {
        description: "The month, such as 2026-11. Default: the last one.",
        placeholder: "month",
      }),
    ),
    so_far: flag("What the running month holds so far. It has no number, because it is no statement yet."),
    for_client: flag("As a letter to the client: the live lines, both names and the tax of the settings."),
  }),
  answer: Statement,
  columns: ["time", "mode", "line", "reference", "kind", "fee", "reason"],
  none: "The month has no charges.",
  first: 100,
  view: ({ lines, sums, client, ...head }) => [
    ...(client ? letterView(client, head, lines) : []),
    ...(client ? [] : statementView(sums, head)),
  ],
  letter: async ({ for_client, ...asked }, room: Room) => {
    if (!for_client) return undefined;
    const { statementLetter } = await import("../statement-letter.ts");
    const { client, head, costsOf } = await askedFor(asked, room);
    const totals = statementTotals(await costsOf(room.db, head), head, client, room.config);
    return statementLetter(room.db, totals, head, client);
  },
  fills: ({ sums, client, account, month, number, prepaid, email }) => {
    // On an account's page: the letter of last month.
    if (prepaid !== undefined && email !== undefined)
      return { input: { account: String(email), for_client: "on" }, title: "Letter of last month" };
    if (sums === undefined || client !== undefined) return undefined;
    const soFar = number === null && { so_far: "on" };
    return { input: { account: String(account), month: String(month), for_client: "on", ...soFar }, title: "Letter" };
  },
  examples: [
    { account: "shop@example.com", month: "2026-10" },
    { account: "acc_5hR8kQ2m", month: "2026-10", for_client: true },
    { account: "shop@example.com", so_far: true },
  ],
  run: async ({ for_client, ...texts }, room: Room) => {
    const { client, head, asked, costsOf, statementOf } = await askedFor(texts, room);
    const statement = await statementOf(room.db, asked);
    if (!for_client) return statement;
    const lines = statement.lines.filter(({ mode }) => mode === "live");
    return { ...statement, lines, client: statementTotals(await costsOf(room.db, head), head, client, room.config) };
  },
});

type Room = BooksRoom & { config: LetterConfig };

/** Returns the requested account and month. Throws as `statementHead` does. */
async function askedFor(
  { account, month: given, so_far: soFar = false }: { account: string; month?: string; so_far?: boolean },
  { accounts, config: { timeZone: zone } }: Room,
) {
  const [now, client] = [Date.now(), await accounts.find(account)];
  const running = zone.monthOf(now);
  const month = given ?? (soFar ? running : zone.monthOf(zone.startOfMonth(running) - 1));
  const asked = { accountId: client.id, month, zone, now, soFar };
  const { statementHead, ...statements } = await import("../statement.ts");
  return { client, asked, head: statementHead(asked), ...statements };
}

function statementView(sums: Statement["sums"], head: object): Part[] {
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

/** Returns all lines, because the client receives this page as the letter. */
function letterView(
  client: NonNullable<Statement["client"]>,
  head: Pick<Statement, "number" | "month" | "from" | "to" | "time_zone" | "sha256">,
  lines: Statement["lines"],
): Part[] {
  const { from, to, to_address, to_tax_number, issued, groups, fees, total, due, pay_to } = client;
  const { tax, tax_name, tax_percent, tax_is } = client;
  const costs = groups.map(({ kind, ...group }) => ({ what: costName({ kind, ...group }), ...group }));
  const taxed = { added: `${tax_percent} % on top`, included: `${tax_percent} % in the fees` }[tax_is];
  return [
    {
      record: {
        from: from || nobodyYet,
        to,
        ...(to_address !== null && { address: to_address }),
        ...(to_tax_number !== null && { tax_number: to_tax_number }),
        [head.number === null ? "so far" : "statement"]: head.number ?? head.month,
        month: head.month,
        issued,
        time_zone: head.time_zone,
      },
    },
    "",
    { rows: costs, row: CostRow, whole: true, none: "The month has no charges." },
    "",
    {
      record: {
        fees: nairaText(signedKobo(fees)),
        ...(tax_percent > 0 && { [`${tax_name}, ${taxed}`]: nairaText(signedKobo(tax)) }),
        total: nairaText(signedKobo(total)),
        ...(pay_to !== null && { [`to pay until ${due}`]: pay_to }),
      },
    },
    "",
    { rows: lines, row: LetterRow, whole: true, none: "" },
    { note: `SHA-256 of the whole statement: ${head.sha256}` },
  ];
}
