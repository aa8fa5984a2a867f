import type { Static, TObject, TSchema, TUnsafe } from "typebox";
import Type from "../schema/type.ts";
import type { Chart } from "./chart.ts";
import type { Mend, MendWithLine } from "./mend.ts";
import type { RichText, Text } from "./rich-text.ts";

/** The meaning of a member: user interfaces format the value by it, and `projected` converts the stored value. */
export type Shows =
  | "text"
  | "number"
  | "time"
  | "naira"
  | "change"
  | "state"
  | "reference"
  | "account"
  | "digits"
  | "yes"
  | "facts"
  | "event"
  | "sentence"
  | "richText"
  | "mends";

/**
 * The colour of a state. `good`: all is well; `bad`: the service is down; `warn`: somebody has to act; `plain`: none of
 * these.
 */
export type Tone = "good" | "bad" | "warn" | "plain";

/** The layout of a column on a page. */
interface Place {
  /** The column disappears first if the page is too narrow. */
  spare?: true;
  /** A list that is not the answer's main list. */
  beside?: true;
  /** On a phone, the column gets a line of its own. */
  also?: true;
  /** A heading above this column and its neighbours. */
  over?: string;
}

/** Further facts that a schema may state about a member. Spread it: `{ ...time, none: "never" }`. */
export interface Showing extends Place {
  shows?: Shows;
  /** Text in place of null and of an empty list. Default: "-". */
  none?: string;
  /** The label for people. Default: the words of the member's name. */
  label?: string;
  /**
   * The member stands in large letters at the head of the page. `before`: the member with the previous period's value;
   * `against`: the name of that period; `better`: the direction that is good.
   */
  headline?: { before?: string; against?: string; better?: "up" | "down"; after?: string };
  /** The member with the upper bound. The page draws a meter of the used part. */
  meterOf?: string;
  /** Unit of a number, such as `ms`. */
  unit?: string;
  /** The table shows the column's sum. The column must hold amounts of one kind, not balances or prices. */
  sums?: true;
  /** The page draws a bar for each row: its value in relation to the largest value of the column. */
  share?: true;
  /** The page draws the column as a line chart above the table. The rows must be in the order of time. */
  line?: true;
  /** Texts for people, by the stored word. */
  words?: Readonly<Record<string, string>>;
  /**
   * For a state: the members that hold the author, the start, the end and the reason. `words`: texts for the reasons.
   */
  by?: string;
  since?: string;
  until?: string;
  why?: { of: string; words: Readonly<Record<string, string>> };
  /** For a state: colours of words that mean something else in other states. */
  tones?: Readonly<Record<string, Tone>>;
}

/** Milliseconds since 1970. Programs get ISO 8601, people a time in `DUBA_TIME_ZONE`. */
export const time = Type.Unsafe<number>({ type: "string", format: "date-time", shows: "time" });

/** Kobo. Programs get plain naira text, people ₦ and two decimals. */
export const naira = Type.Unsafe<number>({ type: "string", shows: "naira" });

/** A boolean, stored as 0 or 1. */
export const yes = Type.Unsafe<boolean | 0 | 1>({ type: "boolean", shows: "yes" });

/** The state or the outcome of something, as one of these words. */
export function state<Word extends string>(words: readonly Word[], showing: Showing = {}) {
  return Type.Enum([...words], { shows: "state", ...showing });
}

/** The id or name of a record. */
export const reference = Type.String({ shows: "reference" });

/** The e-mail of an account or a person. */
export const account = Type.String({ shows: "account" });

/** A kind of event, such as `key.revoked`. */
export const happening = Type.String({ shows: "event" });

/** Digits that must not be formatted as a number. */
export const digits = Type.String({ shows: "digits" });

/** The facts of an audit entry, as an object or as stored JSON. */
export const facts = Type.Unsafe<Readonly<Record<string, unknown>> | string>({ shows: "facts" });

/** A sentence, perhaps with data inside. Programs get its text. */
export const sentence = Type.Unsafe<Text>({ type: "string", shows: "sentence" });

const text = Type.String();

/** A rich text. Programs get its times as ISO 8601. */
export const richTextMember = Type.Unsafe<RichText>({
  type: "array",
  shows: "richText",
  items: { properties: { vendor: text, check: text, actor: text, account: text, key: text, time } },
});

export const mendsMember = Type.Unsafe<readonly MendWithLine[]>({
  type: "array",
  shows: "mends",
  items: Type.Object({
    says: richTextMember,
    command: Type.String(),
    input: Type.Record(Type.String(), Type.String()),
    line: Type.String(),
  }),
});

export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** A secret. User interfaces show it once and never store it. */
export const secret = Type.String({ secret: true });

/** An answer that is never whole in memory: user interfaces write each item as it arrives. */
export function lines<Item extends TSchema>(item: Item): TUnsafe<AsyncIterable<Static<Item>>> {
  return Type.Unsafe<AsyncIterable<Static<Item>>>({ lines: item });
}

/** A file in an answer. A terminal saves a new file so that only its owner can read it. */
export interface AnswerFile {
  name: string;
  text: string;
}

/** The files of an answer. The person saves them. */
export const answerFiles = Type.Unsafe<readonly AnswerFile[]>({ holds: "files" });

/** A column: a member of the row, or a value computed from the row. */
export type Column<Row> = (keyof Row & string) | ({ name: keyof Row & string } & Place) | OwnColumn<Row>;
export type OwnColumn<Row> = { name: string; of: (row: Row) => unknown; as?: TSchema } & Place;

type Cells = Readonly<Record<string, unknown>>;

/** A part of an answer for people. A string is a sentence. */
export type Part =
  | string
  | { text: Text }
  /**
   * `problem`: what is wrong; `note`: further information or the next step; `mends`: commands that solve the problem.
   */
  | { problem: Text; note?: Text; mends?: readonly Mend[] }
  | { note: Text; mends?: readonly Mend[] }
  /** The cursor of the next rows. Only a terminal prints it: a page has a link. */
  | { more: string }
  /** Only a page draws it: a terminal prints the figures instead. */
  | { chart: Chart }
  /** A list of the answer: the member of that name, or the only list. `none`: the sentence for an empty table. */
  | {
      list: string | true;
      title?: string;
      none?: string;
      /** Members of its rows. Default: all. */
      columns?: readonly string[];
      /** A page draws the rows as a time line. */
      isTimeLine?: true;
      /** The rows are alarms: a page shows them by rank. */
      areAlarms?: true;
    }
  /** Named values, one line each. A member that the schema does not declare is text. */
  | { record: Cells }
  /** Rows computed from the answer. `row`: their schema. */
  | {
      rows: readonly Cells[];
      row: TObject;
      title?: string;
      none?: string;
      /** The rows and their order never change. */
      whole?: true;
      /** The first member is the row's title. */
      named?: true;
    };

export const list = { list: true } as const satisfies Part;

/** Passed to a `view` beside the answer. */
export interface Viewing {
  /** Formats a time for people, to the minute or to the second. Null gives "-". */
  at: (time: number | null, isToSecond?: boolean) => string;
}

/** Formats milliseconds since 1970 as ISO 8601. */
export function isoOf(milliseconds: number): string;
export function isoOf(milliseconds: number | null): string | null;
export function isoOf(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}

/** Formats bytes for people, in GiB or MiB. */
export function bytesText(bytes: number): string {
  const gibibytes = bytes / 1024 ** 3;
  return gibibytes >= 1 ? `${gibibytes.toFixed(1)} GiB` : `${Math.floor(bytes / 1024 ** 2)} MiB`;
}
