import { checkKinds } from "../../declare/check-kind.ts";
import { account, naira, orNull, reference, time } from "../../declare/command/answer-schema.ts";
import Type, { type Static } from "../../declare/schema/type.ts";

/** An amount is naira text; a moment is ISO 8601 with the time zone's offset. */
const amount = Type.Unsafe<string>(naira);
const moment = Type.Unsafe<string>(time);
/** Empty for lines that concern no single verification. */
const kind = Type.Enum([...checkKinds, ""]);

/** One line of a statement. Members are in the order of the columns. */
export const StatementLine = Type.Object({
  /** The statement's number; empty until the month is over. */
  statement: Type.String(),
  account: Type.String(),
  time_zone: Type.String(),
  mode: Type.Enum(["test", "live"]),
  line: Type.Enum(["charge", "adjustment"]),
  /** The local day in the time zone. */
  day: Type.String(),
  time: moment,
  reference,
  kind,
  fee: amount,
  /** Set for adjustments only. */
  reason: Type.String(),
});
export type StatementLine = Static<typeof StatementLine>;

/** The part of a statement that only a client's letter has. */
export const StatementTotals = Type.Object({
  /** The sender, with "; " between its lines, and the client's name and e-mail. */
  from: Type.String(),
  to: Type.String(),
  /** The client's address, with "; " between its lines; null if the account has none. */
  to_address: orNull(Type.String()),
  to_tax_number: orNull(Type.String()),
  /** The day when the statement became complete; today, if the month is not over. */
  issued: Type.String(),
  groups: Type.Array(Type.Object({ kind, count: Type.Integer(), price: orNull(amount), fees: amount })),
  fees: amount,
  tax: amount,
  tax_name: Type.String(),
  tax_percent: Type.Number(),
  tax_is: Type.Enum(["included", "added"]),
  total: amount,
  /** A prepaid client has paid already. */
  prepaid: Type.Boolean(),
  /** The last day to pay, and the bank details. Null for an unfinished month, a prepaid client, or missing settings. */
  due: orNull(Type.String()),
  pay_to: orNull(Type.String()),
});
export type StatementTotals = Static<typeof StatementTotals>;

/**
 * One account's charges in one month. All but `client` depends only on the ledger and the time zone, so repeated
 * statements are equal.
 */
export const Statement = Type.Object({
  /** Null until the month is over, because an unfinished month has no statement yet. */
  number: orNull(Type.String()),
  account,
  month: Type.String(),
  time_zone: Type.String(),
  /** Start of the month, and start of the next. */
  from: moment,
  to: moment,
  /** SHA-256 of the lines in CSV, without the heading. */
  sha256: Type.String(),
  /** Charges by mode, with fees by day for days that have fees or adjustments. */
  sums: Type.Record(
    Type.String(),
    Type.Object({
      charges: Type.Integer(),
      adjustments: Type.Integer(),
      fees: amount,
      days: Type.Record(Type.String(), amount),
    }),
  ),
  /** With --for-client, only live lines. */
  lines: Type.Array(StatementLine),
  client: Type.Optional(StatementTotals),
});
export type Statement = Static<typeof Statement>;
