import { stripVTControlCharacters, styleText } from "node:util";
import type { RecordMember, Table } from "../declare/command/answer-table.ts";

export type Paint = (style: "bold" | "dim" | "red", text: string) => string;

/** Styles text on a terminal with colours. */
export function painter(colours: boolean | undefined): Paint {
  return colours ? (style, text) => styleText(style, text, { validateStream: false }) : (_, text) => text;
}

/**
 * The first rows under a line of headings, and the sums of all rows. Numbers and amounts are aligned to the right.
 * `widths`: the least width of columns by name. It gets the widths of this table, so that a later table lines up.
 */
export function tableText(
  { columns, rows }: Table,
  paint: Paint,
  first = rows.length,
  widths = new Map<string, number>(),
): string {
  if (rows.length === 0) return "(none)\n";
  const hasSums = rows.length > 1 && columns.some(({ sumOf }) => sumOf);
  const drawn = columns.map(({ name, shows, textOf, sumOf }, at) => {
    const cells = rows.slice(0, first).map((row) => shown(textOf(row)));
    const sum = hasSums ? (sumOf?.(rows) ?? (at === 0 ? "total" : "")) : "";
    // `Math.max` cannot take one argument for each row of a long table.
    const width = [name, ...cells, sum].reduce((most, text) => Math.max(most, widthOf(text)), widths.get(name) ?? 0);
    widths.set(name, width);
    return { name, cells, sum, width, isRight: shows === "number" || shows === "naira" };
  });
  const line = (textIn: (column: (typeof drawn)[number]) => string) =>
    drawn
      .map((column) => {
        const text = textIn(column);
        const space = " ".repeat(column.width - widthOf(text));
        return column.isRight ? space + text : text + space;
      })
      .join("  ")
      .trimEnd();
  const head = line(({ name }) => name);
  const body = rows.slice(0, first).map((_, index) => line(({ cells }) => cells[index]!));
  const foot = hasSums
    ? [
        paint(
          "bold",
          line(({ sum }) => sum),
        ),
      ]
    : [];
  return `${[paint("bold", head), ...body, ...foot].join("\n")}\n`;
}

/**
 * One `name  text` line for each member. A member with members of its own becomes a heading above its indented members.
 */
export function recordText(members: readonly RecordMember[], paint: Paint): string {
  const lines = linesOf(members, "");
  const width = Math.max(0, ...lines.filter(({ text }) => text !== undefined).map(({ name }) => widthOf(name)));
  return lines
    .map(({ name, text }) =>
      text === undefined
        ? `${paint("bold", name)}\n`
        : `${`${paint("dim", name)}${" ".repeat(width - widthOf(name))}  ${text}`.trimEnd()}\n`,
    )
    .join("");
}

function linesOf(members: readonly RecordMember[], indent: string): { name: string; text?: string }[] {
  return members.flatMap(({ name, text, members: inner }) =>
    inner
      ? [{ name: indent + shown(name) }, ...linesOf(inner, `${indent}  `)]
      : [{ name: indent + shown(name), text: shown(text) }],
  );
}

/** A text on one line, without control characters, so that a response cannot control the terminal. */
export function shown(text: string): string {
  return stripVTControlCharacters(text).replace(/\p{Cc}+/gu, " ");
}

function widthOf(text: string): number {
  return [...text].length;
}
