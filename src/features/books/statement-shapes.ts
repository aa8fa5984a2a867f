import { checkKinds } from "../../declare/check-kind.ts";
import { naira, orNull, reference, time } from "../../declare/command/answer-schema.ts";
import Type, { type Static } from "../../declare/schema/type.ts";

/** Naira text, and ISO 8601 with the time zone's offset. */
const amount = Type.Unsafe<string>(naira);
const moment = Type.Unsafe<string>(time);
/** Empty for what concerns no single verification. */
const kind = Type.Enum([...checkKinds, ""]);

/** One line of a statement. Members are in the order of the columns. */
export const StatementLine = Type.Object({
  /** The statement's number; empty while the month runs. */
  statement: Type.String(),
  account: Type.String(),
  time_zone: Type.String(),
  mode: Type.Enum(["test", "live"]),
  line: Type.Enum(["charge", "adjustment"]),
  /** Day in the time zone. */
  day: Type.String(),
  time: moment,
  reference,
  kind,
  fee: amount,
  /** Set for adjustments only. */
  reason: Type.String(),
});
export type StatementLine = Static<typeof StatementLine>;

/** A statement as the client reads it. */
export const StatementTotals = Type.Object({
  /** The sender, line by line after each "; ", and the client's name and e-mail. */
  from: Type.String(),
  to: Type.String(),
  /** Of the client, line by line after each "; "; null if the account has none. */
  to_address: orNull(Type.String()),
  to_tax_number: orNull(Type.String()),
  /** The day on which the statement was complete; of a month that runs, today. */
  issued: Type.String(),
  groups: Type.Array(Type.Object({ kind, count: Type.Integer(), price: orNull(amount), fees: amount })),
  fees: amount,
  tax: amount,
  tax_name: Type.String(),
  tax_percent: Type.Number(),
  tax_is: Type.Enum(["included", "added"]),
  total: amount,
  /** A prepaid client has paid it already. */
  prepaid: Type.Boolean(),
  /** The last day to pay, and where; null if there is nothing to pay yet, or the settings say nothing. */
  due: orNull(Type.String()),
  pay_to: orNull(Type.String()),
});
export type StatementTotals = Static<typeof StatementTotals>;

/**
 * The charges of one account in one month. It depends only on the ledger and the time zone, so it is the same each
 * time.
 */
export const Statement = Type.Object({
  /** Null while the month runs: then it is not a statement yet. */
  number: orNull(Type.String()),
  account: Type.String(),
  month: Type.String(),
  time_zone: Type.String(),
  /** First moment of the month, and first moment after it. */
  from: moment,
  to: moment,
  /** SHA-256 of the lines in CSV, without the heading. */
  sha256: Type.String(),
  /** The charges of each mode, and their fees by day, for days with fees or adjustments. */
  sums: Type.Record(
    Type.String(),
    Type.Object({
      charges: Type.Integer(),
      adjustments: Type.Integer(),
      fees: amount,
      days: Type.Record(Type.String(), amount),
    }),
  ),
  /** Only live lines with --for-client. */
  lines: Type.Array(StatementLine),
  client: Type.Optional(StatementTotals),
});
export type Statement = Static<typeof Statement>;
