import { type Html, html } from "../../http/pages/html.ts";
import type { Part } from "../../operation/command/answer-schema.ts";
import { isRow, listRows, listTable, memberWith, partsOf } from "../../operation/command/answer-table.ts";
import type { Command } from "../../operation/command.ts";
import { labelFor } from "../site-map.ts";
import type { Say } from "./command-words.ts";
import { type CellRow, cellText, shownText, sortedTable, stateMark, type View } from "./sorted-table.ts";

export interface AnswerParts {
  command: Command<never>;
  answer: unknown;
  input: object;
  view: View;
  urlFor: (change: Record<string, string | undefined>) => string;
  say: Say;
  /** Only tables and sentences. */
  withoutRecord?: boolean;
  /** The form in a cell, if the cell can be changed in place. */
  editor?: ((row: CellRow, heading: string) => Html | undefined) | undefined;
  /** The links of a row. */
  actions: (row: CellRow) => readonly Html[];
}

/** The answer of a command as people read it: its sentences, tables and records. */
export function answerView(parts: AnswerParts): Html {
  const { command, answer, input } = parts;
  const shown = command.view?.(answer as never, input as never) ?? partsOf(command, answer);
  const secret = memberWith("secret", command.answer);
  const isWell = command.isWell?.(answer as never) !== false;
  return html`${secret ? secretBox(secret, cellText((answer as CellRow)[secret])) : ""}${shown.map((part) => partView(part, parts, isWell))}`;
}

function secretBox(name: string, value: string): Html {
  return html`<div class="secret"><label for="secret">${labelFor(name)}</label>
<input id="secret" readonly value="${value}" data-select>
<p>Save it now. Duba does not show it again.</p></div>`;
}

function partView(part: Part, parts: AnswerParts, isWell: boolean): Html {
  const { command, answer, view, urlFor, say, actions, editor } = parts;
  if (typeof part === "string") return part === "" ? html`` : html`<p class="sentence">${say(part)}</p>`;
  if ("fault" in part)
    return html`<div class="fault" role="alert"><p class="lines"><strong>${say(part.fault)}</strong></p>${part.note === undefined ? "" : html`<p class="lines">${say(part.note)}</p>`}</div>`;
  // The page has a link to what follows.
  if ("note" in part)
    return part.note.includes("--cursor")
      ? html``
      : html`<p class="${isWell ? "note lines" : "note warn lines"}">${say(part.note)}</p>`;
  if ("list" in part) {
    const rows = listRows(command, answer);
    const table = listTable(command, answer);
    const label = command.summary;
    const cellForm = editor && ((at: number, heading: string) => editor(rows[at]!, heading));
    return sortedTable({ label, ...table, view, urlFor, say, cellForm, actions: (at) => actions(rows[at]!) });
  }
  if ("record" in part) return parts.withoutRecord ? html`` : recordView(part.record);
  const { rows, title, none } = part;
  const table = sortedTable({
    label: title ?? command.summary,
    rows,
    none,
    view,
    urlFor,
    say,
    actions: (at) => actions(rows[at]!),
  });
  return title === undefined ? table : html`<h2>${title.replace(/:$/, "")}</h2>${table}`;
}

/** One line for each member. */
export function recordView(members: CellRow): Html {
  return html`<dl class="record">${Object.entries(members).map(([name, value]) => html`<div><dt>${labelFor(name)}</dt><dd>${memberView(name, value)}</dd></div>`)}</dl>`;
}

function memberView(name: string, value: unknown): Html {
  if (isRow(value)) return recordView(value);
  if (Array.isArray(value) && value.some(isRow)) return html`${value.map((each) => recordView(each as CellRow))}`;
  if (name === "state") return stateMark(cellText(value));
  return html`${shownText(name, value)}`;
}
