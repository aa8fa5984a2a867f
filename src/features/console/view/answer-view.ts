import type { AlarmFacts } from "../../../commands/alarm.ts";
import type { Part } from "../../../declare/command/answer-schema.ts";
import {
  memberWith,
  partsOf,
  type RecordMember,
  recordOf,
  type Table,
  type TableRow,
  type TimeTexts,
  tableOf,
} from "../../../declare/command/answer-table.ts";
import type { Chart, Series } from "../../../declare/command/chart.ts";
import { isRow, shapeOf } from "../../../declare/command/projected.ts";
import type { Command } from "../../../declare/command.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import type { TimeLineEntry } from "../../../ledger/commands/time-line-entry.ts";
import { labelFor } from "../site-map.ts";
import { shownAs } from "./cells.ts";
import { chartFigure } from "./chart-figure.ts";
import { figureRow, headlineNames, headlines, rowShape } from "./figures.ts";
import { icon } from "./menus.ts";
import { labelIn, type RowLinks, seen, sortedTable, type View } from "./paged-table.ts";
import type { RecordLink, recordShownBy } from "./record-links.ts";
import { timeLineView } from "./time-line-view.ts";
import { mendLinks, type Names, type Say, worded, wordsOf } from "./words.ts";

export interface AnswerParts {
  command: Command<never>;
  /** The kind of record that the command shows, if any. */
  shows: ReturnType<typeof recordShownBy>;
  answer: unknown;
  /** The answer's parts, if already computed. */
  drawn?: readonly Part[];
  view: View;
  urlFor: (change: Record<string, string | undefined>) => string;
  say: Say;
  /** Formats times for people. */
  times: TimeTexts;
  names: Names;
  /** Shows only tables and sentences, on a page with several answers. The tables' labels end in "of" and this text. */
  of?: string;
  /** Renders the form in a cell that can be edited. */
  editor?: ((row: TableRow, column: string) => Html | undefined) | undefined;
  links: (row: TableRow) => RowLinks;
  /** Renders alarms. */
  alarms?: (alarms: readonly AlarmFacts[]) => Html;
  /** For an empty table: how its first row appears. */
  noneThen?: Html | undefined;
  /** Beside a record's facts: the first rows of lists about it. */
  latest?: readonly Html[] | undefined;
  /** The number of rows beside a record, and the column to hide, which names the record. */
  most?: number;
  without?: string;
}

/** Renders an answer: sentences, tables and records. */
export function answerView(parts: AnswerParts): Html {
  const { command, answer, times } = parts;
  const secret = memberWith("secret", command.answer);
  const isWell = command.isWell?.(answer as never) !== false;
  let untitled = 0;
  const drawn = parts.drawn ?? partsOf(command, answer, times);
  const views = drawn.map((part): Html => {
    if (typeof part !== "string" && ("list" in part || "rows" in part) && part.title === undefined) untitled += 1;
    return partView(part, parts, { isWell, untitled });
  });
  // A record's facts stand beside its time line.
  const timeLineAt = drawn.findIndex((part) => typeof part !== "string" && "list" in part && part.isTimeLine);
  if (timeLineAt >= 0)
    views.splice(
      timeLineAt,
      2,
      html`<div class="pair">${views[timeLineAt]!}<div>${views[timeLineAt + 1] ?? ""}</div></div>`,
    );
  return html`${secret ? secretBox(secret, String((answer as TableRow)[secret])) : ""}${views}`;
}

export function secretBox(name: string, value: string): Html {
  return html`<div class="secret"><label for="secret">${labelFor(name)}</label>
<input id="secret" readonly value="${value}">${copyButton(value)}
<p>Save it now. Duba does not show it again.</p></div>`;
}

export function copyButton(text: string): Html {
  return html`<button type="button" class="button bare copy" data-copy="${text}" aria-label="Copy">${icon("copy")}</button>`;
}

/** `untitled`: the number of untitled tables up to here. */
function partView(part: Part, parts: AnswerParts, { isWell, untitled }: { isWell: boolean; untitled: number }): Html {
  const { command, shows, answer, times, names, of, say, links } = parts;
  // Screen readers need a different name for each table.
  const summary = untitled > 1 ? `${command.summary} Table ${untitled}.` : command.summary;
  const { says } = shows ?? {};
  // The page's head already shows this sentence.
  const isSaid =
    says !== undefined && isRow(answer) && typeof part !== "string" && "text" in part && answer[says] === part.text;
  if (isSaid) return html``;
  if (typeof part === "string") return part === "" ? html`` : html`<p class="says">${say(part)}</p>`;
  if ("text" in part) return html`<p class="says">${say(part.text)}</p>`;
  if ("problem" in part)
    return html`<div class="band problem" role="alert"><h2 class="lines">${say(part.problem)}</h2>${part.note === undefined ? "" : html`<p class="lines">${say(part.note)}</p>`}${mendLinks(part.mends, say)}</div>`;
  if ("note" in part)
    return html`<p class="${isWell ? "quiet lines" : "warn lines"}">${say(part.note)} ${mendLinks(part.mends, say)}</p>`;
  if ("more" in part) return html``;
  // The chart covers a day, so the time without the date is enough.
  if ("chart" in part) return chartFigure(part.chart, (at) => times.textOf(at).slice(-5));
  if ("record" in part) {
    if (of !== undefined) return html``;
    const { meta = [], state, panels = {} } = shows ?? {};
    const shape = rowShape(command.answer);
    const figures = headlines(shape, part.record, times, "the time before");
    const { by, since, until } = shapeOf(shape.properties?.[state ?? ""] ?? {});
    const owner = meta.includes("account") ? ["account_id"] : [];
    const inHead = new Set([...meta, ...owner, state, says, by, since, until, ...headlineNames(shape)]);
    // "Revision 6" is no link to itself.
    const titled = shows && isRow(answer) ? shows.title(answer).split(" ") : [];
    const isTitled = (name: string, value: unknown) => shows?.members.includes(name) && titled.includes(String(value));
    const members = recordOf(shape, part.record, times).filter(
      ({ name, value }) => !inHead.has(name) && !isTitled(name, value),
    );
    const { link } = links(isRow(answer) ? answer : {});
    const inPanels = Object.entries(panels).flatMap(([heading, wanted]) => {
      const some = members.filter(({ name }) => wanted.includes(name));
      return some.length === 0
        ? []
        : html`<section class="panel"><h2>${heading}</h2>${recordView(some, { say, names, link })}</section>`;
    });
    const rest = members.filter(({ name }) => !Object.values(panels).flat().includes(name));
    const others = recordView(rest, { say, names, link });
    if (Object.keys(panels).length === 0) return html`${figureRow(figures)}${rest.length === 0 ? "" : others}`;
    const folded =
      rest.length === 0 ? "" : html`<details class="fold"><summary>More facts</summary>${others}</details>`;
    const drawn = inPanels.length === 0 ? "" : html`<div class="panels">${inPanels}</div>`;
    if (!parts.latest?.length) return html`${figureRow(figures)}${drawn}${folded}`;
    return html`${figureRow(figures)}<div class="pair"><div>${parts.latest}</div><div>${inPanels}${folded}</div></div>`;
  }
  if ("list" in part && part.isTimeLine) {
    const moments = (answer as Record<string, TimeLineEntry[]>)[String(part.list)]!;
    return html`<section><div class="heads"><h2>${part.title!.replace(/:$/, "")}</h2></div>${timeLineView(moments, names)}</section>`;
  }
  const { columns, ...found } = worded(tableOf(command, answer, part, times), names);
  const table = { ...found, columns: columns.filter(({ name }) => name !== parts.without) };
  const alarms = "list" in part && part.areAlarms ? (seen(table, parts.view) as AlarmFacts[]) : [];
  const isNamed = "list" in part ? command.page !== undefined : part.named === true;
  const label = `${table.title ?? summary}${of === undefined ? "" : ` of ${of}`}`;
  const noneThen = table.title === undefined ? parts.noneThen : undefined;
  const drawn =
    parts.alarms && alarms.length > 0
      ? html`${table.title === undefined ? html`<h2 class="visually-hidden">What needs a hand</h2>` : ""}${parts.alarms(alarms)}`
      : html`${lineChart(table)}${sortedTable({ ...parts, label, table, isNamed, noneThen })}`;
  return table.title === undefined ? drawn : html`<h2>${table.title.replace(/:$/, "")}</h2>${drawn}`;
}

const tones = ["c1", "c2", "c3", "c4"] as const;

/** Renders a line chart of the columns marked as lines. */
function lineChart({ columns, rows }: Table): Html {
  const lines = columns.filter(({ line }) => line);
  const [first] = columns;
  if (lines.length === 0 || !first || rows.length < 2) return html``;
  const series = lines.map(
    (column, at): Series => ({
      name: labelIn(column),
      tone: tones[at]!,
      values: rows.map((row) => Number(column.valueIn(row))),
      sum: column.sumOf?.(rows) ?? "",
    }),
  );
  const title = lines.map((column, at) => (at === 0 ? labelIn(column) : labelIn(column).toLowerCase())).join(" and ");
  const chart: Chart = { title, kind: "lines", unit: "", times: rows.map((_, at) => at), series };
  return chartFigure(chart, (at) => first.textOf(rows[at]!));
}

interface RecordParts {
  say: Say;
  names: Names;
  link?: RecordLink | undefined;
}

/** Renders a record, one line per member. `first`: lines above them. */
export function recordView(members: readonly RecordMember[], parts: RecordParts, first: readonly Html[] = []): Html {
  const { say, names, link } = parts;
  const lines = members.map(({ name, label, members: inner, ...shown }) => {
    const address = link?.(name, shown.text);
    const text = inner
      ? recordView(inner, parts)
      : shownAs({ name, ...shown, text: wordsOf({ name, ...shown }, names) }, say);
    return html`<div><dt>${label ?? labelFor(name)}</dt><dd>${address === undefined ? text : html`<a href="${address}">${text}</a>`}</dd></div>`;
  });
  return html`<dl class="facts">${first}${lines}</dl>`;
}
