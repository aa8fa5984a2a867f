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
  const { row: shape } = listOf(command.answer)!;
  const names = Object.keys(shape.properties ?? {});
  const plain = rows.map((row) => projected(shape, row) as TableRow);
  return stringify([names, ...plain.map((row) => names.map((name) => csvCell(row[name])))]);
}

function csvCell(value: unknown): string | number {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return value;
  const text = typeof value === "string" ? value : Array.isArray(value) ? value.join(" ") : JSON.stringify(value);
  return /^-?\d+(\.\d+)?$/.test(text) ? text : withoutFormula(text);
}
