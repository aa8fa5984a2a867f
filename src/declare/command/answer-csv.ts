import type { Command } from "../command.ts";
import { withoutFormula } from "../formula.ts";
import { listOf, listRows, type TableRow } from "./answer-table.ts";
import type { MendWithLine } from "./mend.ts";
import { projected, type Shape, shapeOf } from "./projected.ts";
import { plainText, type RichText } from "./rich-text.ts";

/**
 * Formats all members of the list's rows as CSV, in the form for programs. No cell can become a formula in a
 * spreadsheet. `rows`: the rows to write, by default all rows of the answer.
 */
export async function answerCsv(
  command: Command<never>,
  answer: unknown,
  rows: readonly TableRow[] = listRows(command, answer),
): Promise<string> {
  const { stringify } = await import("csv-stringify/sync");
  return stringify([namesOf(command), ...linesOf(command, rows)]);
}

/** Formats all rows of a command as CSV, chunk by chunk, so that a long list needs little memory. */
export async function* wholeCsv(
  command: Command<never>,
  rows: AsyncIterable<readonly unknown[]>,
): AsyncGenerator<string> {
  const { stringify } = await import("csv-stringify/sync");
  yield stringify([namesOf(command)]);
  for await (const some of rows) yield stringify(linesOf(command, some as readonly TableRow[]));
}

function namesOf(command: Command<never>): string[] {
  // A spreadsheet has no use for the cursor.
  return Object.keys(listOf(command.answer)!.row.properties ?? {}).filter((name) => name !== "cursor");
}

function linesOf(command: Command<never>, rows: readonly TableRow[]) {
  const { row: shape } = listOf(command.answer)!;
  const names = namesOf(command);
  return rows.map((row) => {
    const plain = projected(shape, row) as TableRow;
    return names.map((name) => csvCell(plain[name], shapeOf(shape.properties![name]!)));
  });
}

function csvCell(value: unknown, shape: Shape): string | number {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return value;
  const text = cellText(value, shape);
  return /^-?\d+(\.\d+)?$/.test(text) ? text : withoutFormula(text);
}

function cellText(value: unknown, { shows }: Shape): string {
  if (typeof value === "string") return value;
  // In the form for programs, times are text already.
  if (shows === "richText") return plainText(value as RichText, { at: String });
  if (shows === "mends") return (value as MendWithLine[]).map(({ line }) => line).join("; ");
  const isOfWords = Array.isArray(value) && value.every((each) => typeof each !== "object");
  return isOfWords ? value.join(" ") : JSON.stringify(value);
}
