import { stripVTControlCharacters, styleText } from "node:util";
import { isRow } from "../../operation/command/answer-table.ts";

export type Paint = (style: "bold" | "dim" | "red", text: string) => string;

/** Styles text on a terminal with colours. */
export function painter(colours: boolean | undefined): Paint {
  return colours ? (style, text) => styleText(style, text, { validateStream: false }) : (_, text) => text;
}

type Row = Record<string, unknown>;

/** Rows under a line of headings. Columns of numbers are aligned to the right. */
export function table(rows: readonly Row[], paint: Paint): string {
  if (rows.length === 0) return "(none)\n";
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].map((name) => {
    const cells = rows.map((row) => shown(row[name]));
    return {
      name,
      cells,
      width: Math.max(...[name, ...cells].map(widthOf)),
      numbers: cells.every((cell) => cell === "" || /^-?\d[\d.]*$/.test(cell)) && cells.some((cell) => cell !== ""),
    };
  });
  const line = (cell: (column: (typeof columns)[number]) => string) =>
    columns
      .map((column) => {
        const text = cell(column);
        const space = " ".repeat(column.width - widthOf(text));
        return column.numbers ? space + text : text + space;
      })
      .join("  ")
      .trimEnd();
  const lines = rows.map((_, index) => line((column) => column.cells[index]!));
  return `${[
    paint(
      "bold",
      line(({ name }) => name),
    ),
    ...lines,
  ].join("\n")}\n`;
}

/** One `name  value` line for each member; a nested object becomes a heading with its members indented. */
export function record(members: Row, paint: Paint): string {
  const lines = linesOf(members, "");
  const width = Math.max(0, ...lines.filter(({ value }) => value !== undefined).map(({ name }) => widthOf(name)));
  return lines
    .map(({ name, value }) =>
      value === undefined
        ? `${paint("bold", name)}\n`
        : `${`${paint("dim", name)}${" ".repeat(width - widthOf(name))}  ${value}`.trimEnd()}\n`,
    )
    .join("");
}

function linesOf(members: Row, indent: string): { name: string; value?: string }[] {
  return Object.entries(members).flatMap(([name, value]) =>
    isRow(value)
      ? [{ name: indent + shown(name) }, ...linesOf(value, `${indent}  `)]
      : [{ name: indent + shown(name), value: shown(value) }],
  );
}

/** A value on one line, without control characters, so that a response cannot control the terminal. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return "-";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return stripVTControlCharacters(text).replace(/\p{Cc}+/gu, " ");
}

function widthOf(text: string): number {
  return [...text].length;
}
