import type { Command } from "../command.ts";
import { withoutFormula } from "../formula.ts";
import { listOf, listRows, type TableRow } from "./answer-table.ts";
import { projected } from "./projected.ts";

/**
 * All members of each row of the list in an answer, under their names, as programs read them. It is for spreadsheets:
 * no cell can become a formula. `rows`: some of the rows of the answer, in another order.
 */
export async function answerCsv(
  command: Command<never>,
  answer: unknown,
  rows: readonly TableRow[] = listRows(command, answer),
): Promise<string> {
  const { stringify } = await import("csv-stringify/sync");
  return stringify([namesOf(command), ...linesOf(command, rows)]);
}

/** The same of all rows that a command can give, some lines at a time, so that a long list needs no memory. */
export async function* wholeCsv(
  command: Command<never>,
  rows: AsyncIterable<readonly unknown[]>,
): AsyncGenerator<string> {
  const { stringify } = await import("csv-stringify/sync");
  yield stringify([namesOf(command)]);
  for await (const some of rows) yield stringify(linesOf(command, some as readonly TableRow[]));
}

function namesOf(command: Command<never>): string[] {
  // Where a list goes on says nothing in a spreadsheet.
  return Object.keys(listOf(command.answer)!.row.properties ?? {}).filter((name) => name !== "cursor");
}

function linesOf(command: Command<never>, rows: readonly TableRow[]) {
  const { row: shape } = listOf(command.answer)!;
  const names = namesOf(command);
  return rows.map((row) => {
    const plain = projected(shape, row) as TableRow;
    return names.map((name) => csvCell(plain[name]));
  });
}

function csvCell(value: unknown): string | number {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return value;
  const text = typeof value === "string" ? value : Array.isArray(value) ? value.join(" ") : JSON.stringify(value);
  return /^-?\d+(\.\d+)?$/.test(text) ? text : withoutFormula(text);
}
