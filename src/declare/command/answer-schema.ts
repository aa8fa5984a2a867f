import type { Static, TObject, TSchema, TUnsafe } from "typebox";
import Type from "../schema/type.ts";
import type { Chart } from "./chart.ts";
import type { Mend, MendWithLine } from "./mend.ts";
import type { RichText, Text } from "./rich-text.ts";

/** What a member of an answer is: how user interfaces show it, and how `projected` turns what the store has. */
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

/** The colour of a state: all is well, it stops the service, it needs a hand, or none of these. */
export type Tone = "good" | "bad" | "warn" | "plain";

/** How a page lays a column out. */
interface Place {
  /** It goes first when room ends. */
  spare?: true;
  /** A list beside the one that the answer is about. */
  beside?: true;
  /** On a phone it is a line of its own. */
  also?: true;
  /** The heading that it shares with the columns beside it. */
  over?: string;
}

/** What a schema may say beside its type. Spread it: `{ ...time, none: "never" }`. */
export interface Showing extends Place {
  shows?: Shows;
  /** Text in place of null and of an empty list. Default: "-". */
  none?: string;
  /** What people call it. Default: the words of its name. */
  label?: string;
  /**
   * It stands in large letters at the head of its record, with the member of the time before, what people call that,
   * and what is better.
   */
  headline?: { before?: string; against?: string; better?: "up" | "down"; after?: string };
  /** The member that bounds it: a meter shows how much of that is used. */
  meterOf?: string;
  /** Unit of a number, such as `ms`. */
  unit?: string;
  /** A table adds it up: its rows are amounts of the same thing, and no balances or prices. */
  sums?: true;
  /** A page draws how much of that sum a row is. */
  share?: true;
  /** A page draws it as a line, above a table whose rows follow one another in time. */
  line?: true;
  /** What people read in place of a word of the code. */
  words?: Readonly<Record<string, string>>;
  /** Of a state: the members that say who made it so, since when, until when, and why, with the words for that. */
  by?: string;
  since?: string;
  until?: string;
  why?: { of: string; words: Readonly<Record<string, string>> };
  /** Of a state: the colour of a word that means something else in other states. */
  tones?: Readonly<Record<string, Tone>>;
}

/** Milliseconds since 1970. Programs read ISO 8601, people a time of `DUBA_TIME_ZONE`. */
export const time = Type.Unsafe<number>({ type: "string", format: "date-time", shows: "time" });

/** Kobo. Programs read plain naira text, people ₦ and two decimals. */
export const naira = Type.Unsafe<number>({ type: "string", shows: "naira" });

/** A flag of the store. */
export const yes = Type.Unsafe<boolean | 0 | 1>({ type: "boolean", shows: "yes" });

/** What something is at the moment, or what became of it. */
export function state<Word extends string>(words: readonly Word[], showing: Showing = {}) {
  return Type.Enum([...words], { shows: "state", ...showing });
}

/** The name of a thing. */
export const reference = Type.String({ shows: "reference" });

/** An account or a person, by e-mail. */
export const account = Type.String({ shows: "account" });

/** What happened, such as `key.revoked`. */
export const happening = Type.String({ shows: "event" });

/** Digits that are no number. */
export const digits = Type.String({ shows: "digits" });

/** Facts of an entry of the audit trail: members, or stored text. */
export const facts = Type.Unsafe<Readonly<Record<string, unknown>> | string>({ shows: "facts" });

/** A sentence, perhaps with data in it. Programs read its text. */
export const sentence = Type.Unsafe<Text>({ type: "string", shows: "sentence" });

const text = Type.String();

/** A rich text in an answer. Programs read times in it as ISO 8601. */
export const richTextMember = Type.Unsafe<RichText>({
  type: "array",
  shows: "richText",
  items: { properties: { vendor: text, check: text, actor: text, account: text, key: text, time } },
});

/** Mends in an answer. */
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

/** A text that only this answer holds. A user interface shows it once, apart from all else, and stores it nowhere. */
export const secret = Type.String({ secret: true });

/** An answer without end in memory: one item after the other, which a user interface writes as it comes. */
export function lines<Item extends TSchema>(item: Item): TUnsafe<AsyncIterable<Static<Item>>> {
  return Type.Unsafe<AsyncIterable<Static<Item>>>({ lines: item });
}

/** A file of an answer. On a terminal only its owner may read it. */
export interface AnswerFile {
  name: string;
  text: string;
}

/** The files of an answer, which a person saves. */
export const answerFiles = Type.Unsafe<readonly AnswerFile[]>({ holds: "files" });

/** A column of a list: a member of its rows, or what follows from a row. */
export type Column<Row> = (keyof Row & string) | ({ name: keyof Row & string } & Place) | OwnColumn<Row>;
export type OwnColumn<Row> = { name: string; of: (row: Row) => unknown; as?: TSchema } & Place;

type Cells = Readonly<Record<string, unknown>>;

/** Part of an answer in the form that people read. A string is a sentence. */
export type Part =
  | string
  | { text: Text }
  /** `problem`: what needs a hand. `note`: what to know beside it, or to do next. `mends`: what to do. */
  | { problem: Text; note?: Text; mends?: readonly Mend[] }
  | { note: Text; mends?: readonly Mend[] }
  /** The cursor of the rows that follow. A page has a link of its own. */
  | { more: string }
  /** A page draws it. A terminal has the figures of the answer. */
  | { chart: Chart }
  /** A list of the answer: the member of that name, or the only one. `none` is the sentence for an empty table. */
  | {
      list: string | true;
      title?: string;
      none?: string;
      /** Members of its rows. Default: all. */
      columns?: readonly string[];
      /** A page draws its rows as a time line. */
      isTimeLine?: true;
      /** Its rows are alarms: a page draws the worst as a band, and the others by rank. */
      areAlarms?: true;
    }
  /** Members of the answer, or texts. */
  | { record: Cells }
  /** Rows that follow from the answer. `row` says what their members are. */
  | {
      rows: readonly Cells[];
      row: TObject;
      title?: string;
      none?: string /** Its rows and their order never change. */;
      whole?: true;
      /** Its first member names a row. */
      named?: true;
    };

export const list = { list: true } as const satisfies Part;

/** What a view needs beside the answer. */
export interface Viewing {
  /** A time as people read it, to the minute or to the second; "-" for null. */
  at: (time: number | null, isToSecond?: boolean) => string;
}

/** Milliseconds since 1970 as programs have them. */
export function isoOf(milliseconds: number): string;
export function isoOf(milliseconds: number | null): string | null;
export function isoOf(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}

/** Bytes for people, in GiB or MiB. */
export function bytesText(bytes: number): string {
  const gibibytes = bytes / 1024 ** 3;
  return gibibytes >= 1 ? `${gibibytes.toFixed(1)} GiB` : `${Math.floor(bytes / 1024 ** 2)} MiB`;
}
