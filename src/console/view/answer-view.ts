import { type Html, html } from "../../http/pages/html.ts";
import type { Part } from "../../operation/command/answer-schema.ts";
import {
  memberWith,
  partsOf,
  type RecordMember,
  recordOf,
  type TableRow,
  tableOf,
} from "../../operation/command/answer-table.ts";
import { isRow } from "../../operation/command/projected.ts";
import type { Command } from "../../operation/command.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import { labelFor } from "../site-map.ts";
import { shownAs } from "./cells.ts";
import type { Say } from "./command-words.ts";
import { type RecordLink, recordShownBy } from "./record-links.ts";
import { type RowLinks, sortedTable, type View } from "./sorted-table.ts";

export interface AnswerParts {
  command: Command<never>;
  answer: unknown;
  view: View;
  urlFor: (change: Record<string, string | undefined>) => string;
  say: Say;
  /** In which people read times. */
  zone: TimeZone;
  /** Only tables and sentences, on a page with several answers: its tables are "of" this. */
  of?: string;
  /** The form in a cell, if the cell can be changed in place. */
  editor?: ((row: TableRow, column: string) => Html | undefined) | undefined;
  links: (row: TableRow) => RowLinks;
}

/** The answer of a command as people read it: its sentences, tables and records. */
export function answerView(parts: AnswerParts): Html {
  const { command, answer, zone } = parts;
  const secret = memberWith("secret", command.answer);
  const isWell = command.isWell?.(answer as never) !== false;
  let untitled = 0;
  const views = partsOf(command, answer, zone).map((part) => {
    if (typeof part !== "string" && ("list" in part || "rows" in part) && part.title === undefined) untitled += 1;
    return partView(part, parts, { isWell, untitled });
  });
  return html`${secret ? secretBox(secret, String((answer as TableRow)[secret])) : ""}${views}`;
}

function secretBox(name: string, value: string): Html {
  return html`<div class="secret"><label for="secret">${labelFor(name)}</label>
<input id="secret" readonly value="${value}" data-select>
<p>Save it now. Duba does not show it again.</p></div>`;
}

/** `untitled`: how many tables without a title stand in the answer up to here. */
function partView(part: Part, parts: AnswerParts, { isWell, untitled }: { isWell: boolean; untitled: number }): Html {
  const { command, answer, zone, of, say, links } = parts;
  // Each table has a name of its own, for those who hear it.
  const summary = untitled > 1 ? `${command.summary} Table ${untitled}.` : command.summary;
  if (typeof part === "string") return part === "" ? html`` : html`<p class="sentence">${say(part)}</p>`;
  if ("problem" in part)
    return html`<div class="problem" role="alert"><p class="lines"><strong>${say(part.problem)}</strong></p>${part.note === undefined ? "" : html`<p class="lines">${say(part.note)}</p>`}</div>`;
  // The page has a link to what follows.
  if ("note" in part)
    return part.note.includes("--cursor")
      ? html``
      : html`<p class="${isWell ? "note lines" : "note warn lines"}">${say(part.note)}</p>`;
  if ("record" in part) {
    if (of !== undefined) return html``;
    const { head = [] } = recordShownBy(command) ?? {};
    const members = recordOf(command.answer, part.record, zone);
    const first = head.flatMap((each) => members.find(({ name }) => name === each) ?? []);
    const rest = members.filter(({ name }) => !head.includes(name));
    const { link } = links(isRow(answer) ? answer : {});
    return html`${first.length > 0 ? recordView(first, say, link, "figures") : ""}${recordView(rest, say, link)}`;
  }
  const table = tableOf(command, answer, part, zone);
  const label = `${table.title ?? summary}${of === undefined ? "" : ` of ${of}`}`;
  const drawn = sortedTable({ ...parts, label, table });
  return table.title === undefined ? drawn : html`<h2>${table.title.replace(/:$/, "")}</h2>${drawn}`;
}

/** One line for each member. */
export function recordView(members: readonly RecordMember[], say: Say, link?: RecordLink, look = "record"): Html {
  const lines = members.map(({ name, members: inner, ...shown }) => {
    const address = link?.(name, shown.text);
    const text = inner ? recordView(inner, say, link) : shownAs(shown, say);
    return html`<div><dt>${labelFor(name)}</dt><dd>${address === undefined ? text : html`<a href="${address}">${text}</a>`}</dd></div>`;
  });
  return html`<dl class="${look}">${lines}</dl>`;
}
