import { type Html, html } from "../../http/pages/html.ts";
import type { Part } from "../../operation/command/answer-schema.ts";
import { isRow, listRows, listTable, memberWith, partsOf } from "../../operation/command/answer-table.ts";
import type { Command } from "../../operation/command.ts";
import { labelFor } from "../site-map.ts";
import type { Say } from "./command-words.ts";
import {
  type CellRow,
  cellText,
  grouped,
  type RowLinks,
  shownText,
  sortedTable,
  stateMark,
  type View,
} from "./sorted-table.ts";

export interface AnswerParts {
  command: Command<never>;
  answer: unknown;
  input: object;
  view: View;
  urlFor: (change: Record<string, string | undefined>) => string;
  say: Say;
  /** Only tables and sentences, on a page with several answers: its tables are "of" this. */
  of?: string;
  /** The form in a cell, if the cell can be changed in place. */
  editor?: ((row: CellRow, heading: string) => Html | undefined) | undefined;
  links: (row: CellRow) => RowLinks;
}

/** The answer of a command as people read it: its sentences, tables and records. */
export function answerView(parts: AnswerParts): Html {
  const { command, answer, input } = parts;
  const shown = command.view?.(answer as never, input as never) ?? partsOf(command, answer);
  const secret = memberWith("secret", command.answer);
  const isWell = command.isWell?.(answer as never) !== false;
  let untitled = 0;
  const views = shown.map((part) => {
    if (typeof part !== "string" && ("list" in part || ("rows" in part && part.title === undefined))) untitled += 1;
    return partView(part, parts, { isWell, untitled });
  });
  return html`${secret ? secretBox(secret, cellText((answer as CellRow)[secret])) : ""}${views}`;
}

function secretBox(name: string, value: string): Html {
  return html`<div class="secret"><label for="secret">${labelFor(name)}</label>
<input id="secret" readonly value="${value}" data-select>
<p>Save it now. Duba does not show it again.</p></div>`;
}

/** `untitled`: how many tables without a title stand in the answer up to here. */
function partView(part: Part, parts: AnswerParts, { isWell, untitled }: { isWell: boolean; untitled: number }): Html {
  const { command, answer, view, urlFor, say, links, editor } = parts;
  // Each table has a name of its own, for those who hear it.
  const summary = untitled > 1 ? `${command.summary} Table ${untitled}.` : command.summary;
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
    const cellForm = editor && ((at: number, heading: string) => editor(rows[at]!, heading));
    return sortedTable({ label: summary, ...table, view, urlFor, say, cellForm, links: (at) => links(rows[at]!) });
  }
  if ("record" in part) return parts.of !== undefined ? html`` : recordView(part.record);
  const { rows, title, none } = part;
  const table = sortedTable({
    label: `${title ?? summary}${parts.of === undefined ? "" : ` of ${parts.of}`}`,
    rows,
    none,
    view,
    urlFor,
    say,
    links: (at) => links(rows[at]!),
  });
  return title === undefined ? table : html`<h2>${title.replace(/:$/, "")}</h2>${table}`;
}

/** One line for each member. */
export function recordView(members: CellRow): Html {
  return html`<dl class="record">${Object.entries(members).map(([name, value]) => html`<div><dt>${labelFor(name)}</dt><dd>${memberView(name, value)}</dd></div>`)}</dl>`;
}

/** Whether a member of an answer is an amount in naira: such a member is text. */
function isMoney(name: string): boolean {
  return /(?:^|_)(?:naira|fees?|amount|balance|price|cost)$/.test(name);
}

function memberView(name: string, value: unknown): Html {
  if (isRow(value)) return recordView(value);
  if (Array.isArray(value) && value.some(isRow)) return html`${value.map((each) => recordView(each as CellRow))}`;
  if (name === "state") return stateMark(cellText(value));
  const text = shownText(name, value);
  return html`${typeof value === "number" || isMoney(name) ? grouped(text) : text}`;
}
