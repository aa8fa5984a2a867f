import type { Static, TSchema, TUnsafe } from "typebox";
import Type from "../schema/type.ts";

/** A time in an answer, as ISO 8601. People see it to the minute. */
export const instant = Type.String({ format: "date-time" });

export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** A text that only this answer holds. A face shows it once, apart from all else, and stores it nowhere. */
export const secret = Type.String({ secret: true });

/** An answer without end in memory: one item after the other, which a face writes as it comes. */
export function lines<Item extends TSchema>(item: Item): TUnsafe<AsyncIterable<Static<Item>>> {
  return Type.Unsafe<AsyncIterable<Static<Item>>>({ lines: item });
}

/** A file of an answer. */
export interface AnswerFile {
  name: string;
  text: string;
  /** Only its owner may read it. */
  private?: boolean;
}

/** The files of an answer, which a person saves. */
export const answerFiles = Type.Unsafe<readonly AnswerFile[]>({ holds: "files" });

/** One column of a list. */
export interface Column<Row> {
  /** Default: the name of the member. */
  heading?: string;
  /** Unit of the numbers, such as `naira`. */
  unit?: string;
  /** Text in place of null. Default: "-". */
  none?: string;
  /** The cell, if it is not the member of the column's name. */
  of?: (row: Row) => unknown;
}

type Cells = Readonly<Record<string, unknown>>;

/** Part of an answer in the form that people read. A string is a sentence. */
export type Part =
  | string
  /** `fault`: what needs a hand. `note`: what to know beside it, or to do next. */
  | { fault: string; note?: string }
  | { note: string }
  /** The list of the answer, as its columns say. */
  | { list: true }
  | { record: Cells }
  /** `none` is the sentence for an empty table. */
  | { rows: readonly Cells[]; title?: string; none?: string };

export const list: Part = { list: true };

/** Milliseconds since 1970 as an answer has them. */
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

/** A time of an answer for people: to the minute, in UTC; "-" for null. */
export function timeText(iso: string | null): string {
  return iso === null ? "-" : `${iso.slice(0, 16).replace("T", " ")}Z`;
}
