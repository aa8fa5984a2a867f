import type { Command } from "../command.ts";
import { withoutFormula } from "../formula.ts";
import { listOf, listRows, type TableRow } from "./answer-table.ts";
import { projected } from "./projected.ts";

/** All members of each row, under their names, as programs read them. */
export async function answerCsv(command: Command<never>, answer: unknown): Promise<string> {
  const { row: shape } = listOf(command.answer)!;
  const names = Object.keys(shape.properties ?? {});
  const rows = listRows(command, answer).map((row) => projected(shape, row) as TableRow);
  return csvOfRows(
    names,
    rows.map((row) => names.map((name) => row[name])),
  );
}

/** CSV for spreadsheets: no cell can become a formula. */
export async function csvOfRows(headings: readonly string[], rows: readonly (readonly unknown[])[]): Promise<string> {
  const { stringify } = await import("csv-stringify/sync");
  return stringify([headings, ...rows.map((cells) => cells.map(csvCell))]);
}

function csvCell(value: unknown): string | number {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return value;
  const text = typeof value === "string" ? value : Array.isArray(value) ? value.join(" ") : JSON.stringify(value);
  return /^-?\d+(\.\d+)?$/.test(text) ? text : withoutFormula(text);
}
