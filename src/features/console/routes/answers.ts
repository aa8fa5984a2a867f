import type { AlarmFacts } from "../../../commands/alarm.ts";
import { answerCsv } from "../../../declare/command/answer-csv.ts";
import { type AnswerFile, list } from "../../../declare/command/answer-schema.ts";
import { listOf, listRows, memberWith, partsOf, tableOf } from "../../../declare/command/answer-table.ts";
import { titleOf } from "../../../declare/command.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import type { HttpResponse } from "../../../http/shell/http-response.ts";
import { download } from "../console-response.ts";
import type { PageRequest } from "../console-room.ts";
import { addressOf, type ConsoleCommand, pathOf, urlOf } from "../site-map.ts";
import { alarmBand, alarmList, worstOf } from "../view/alarm-list.ts";
import { type AnswerParts, answerView } from "../view/answer-view.ts";
import type { MenuLink } from "../view/menus.ts";
import { labelIn, seen, timeColumn, viewIn } from "../view/paged-table.ts";
import { recordShownBy } from "../view/record-links.ts";
import { worded } from "../view/words.ts";
import { finder } from "./page-parts.ts";
import { editorOf, linksOf } from "./row-actions.ts";
import { pageSpans, spanIn } from "./spans.ts";

/** Renders alarms as a list with buttons for their mends. */
export function alarmsView(request: PageRequest, command: ConsoleCommand, alarms: readonly AlarmFacts[]): Html {
  const acts = linksOf(request, command);
  return alarmList(alarms, { ...request, actionsOf: (alarm) => acts(alarm).actions });
}

/** Renders alarms as a section of a page. Empty without alarms: the page has a sentence for that. */
export function alarmsPart(request: PageRequest, command: ConsoleCommand, alarms: readonly AlarmFacts[]): Html {
  if (alarms.length === 0) return html``;
  return html`<section><div class="heads"><h2>Needs a hand</h2><a href="/alarms/list">All alarms</a></div>${alarmsView(request, command, alarms)}</section>`;
}

/** Renders the worst alarm as a band, if it stops the service. */
export function bandOf(request: PageRequest, command: ConsoleCommand, alarms: readonly AlarmFacts[]): Html | undefined {
  const worst = worstOf(alarms);
  const state = { address: pathOf(command), text: `See the ${titleOf(command).toLowerCase()}` };
  return worst && alarmBand(worst, { ...request, state }, linksOf(request, command)({ ...worst }).actions);
}

/** Renders an answer as on the command's own page. `texts`: the command's input. */
export function answerOf(
  request: PageRequest,
  command: ConsoleCommand,
  answer: unknown,
  { texts = {}, ...more }: Partial<AnswerParts> & { texts?: Record<string, string> } = {},
): Html {
  const { say, times, names } = request;
  return answerView({
    command,
    shows: recordShownBy(request.site, command),
    answer,
    say,
    times,
    names,
    view: viewIn(new URLSearchParams()),
    links: linksOf(request, command),
    // Headings in the lists are of the third level.
    alarms: (alarms) => alarmsView(request, command, alarms),
    urlFor: (change) => addressOf(command, { ...texts, _run: "1", ...change }),
    ...more,
  });
}

/** A list of at most this many rows gets no filter by time, unless the URL names a time span. */
const fewRows = 10;

/**
 * Renders an answer with its search fields, as the URL asks; or returns the CSV, if the URL asks for it. `plain`: the
 * answer for programs. `isFiltered`: there may be further rows.
 */
export async function answerParts(
  request: PageRequest,
  command: ConsoleCommand,
  {
    answer,
    plain,
    latest,
    isFiltered = true,
  }: { answer: unknown; plain: unknown; latest?: Html[]; isFiltered?: boolean },
): Promise<HttpResponse | { main: Html; find: Html; csv: MenuLink[]; handsOut: Html | "" }> {
  const { path, query, times, names } = request;
  const view = { ...viewIn(query), span: spanIn(query, request.config.timeZone) };
  const table = listOf(command.answer) && worded(tableOf(command, answer, list, times), names);
  // An answer may show other tables instead of its list. Rows found in those are not rows of the list.
  const drawn = partsOf(command, answer, times);
  const showsList = drawn.some((part) => typeof part !== "string" && "list" in part);
  const isWhole = view.find === "" && !view.span;
  const rows = table ? (isWhole || showsList ? seen(table, view) : table.rows) : [];
  const isDrawn = drawn.some((part) => typeof part !== "string" && "areAlarms" in part);
  const isLong = table && (table.rows.length > fewRows || view.span) && showsList && !isDrawn;
  const time = isLong ? timeColumn(table, view) : undefined;
  // No filter by time if no row has a time.
  const timed = time && table?.rows.some((row) => time.valueIn(row) !== null) ? time : undefined;
  const handed = command.handsOut && listRows(command, plain).filter((row) => command.handsOut!.fits(row as never));
  if (query.get("_csv") === "handed" && handed)
    return download(`${command.id}.csv`, "text/csv; charset=utf-8", await answerCsv(command, plain, handed));
  if (query.get("_csv") === "1" && table) {
    // Without a filter and an order, the CSV equals that of --csv byte for byte.
    const rowOf = new Map(listRows(command, plain).map((row, at) => [table.rows[at], row]));
    const text = await answerCsv(
      command,
      plain,
      rows.map((row) => rowOf.get(row)!),
    );
    return download(`${command.id}.csv`, "text/csv; charset=utf-8", text);
  }
  const urlFor = (change: Record<string, string | undefined>) => urlOf(path, query, change);
  return {
    main: answerOf(request, command, answer, {
      drawn,
      view,
      urlFor,
      latest,
      editor: editorOf(request, command),
      noneThen: isFiltered ? undefined : noneThen(request, command),
    }),
    find: html`${timed ? pageSpans(request, command, labelIn(timed)) : ""}${table && (table.rows.length > 1 || !isWhole) ? finder(request, showsList && !isDrawn ? table.columns : []) : ""}`,
    handsOut: handed?.length
      ? html`<a class="button main" href="${urlFor({ _csv: "handed", _page: undefined })}">${command.handsOut!.title}</a>`
      : "",
    csv:
      rows.length === 0
        ? []
        : [
            {
              text:
                command.rows && isWhole
                  ? "CSV of all rows"
                  : `CSV of ${rows.length.toLocaleString("en")} ${rows.length === 1 ? "row" : "rows"}`,
              address: urlFor({ _csv: "1", _page: undefined }),
              isApart: true,
            },
          ],
  };
}

/** Says how the list's first row appears, with a button for it. */
function noneThen({ site }: PageRequest, { noneThen: then }: ConsoleCommand): Html | undefined {
  const by = then?.by === undefined ? undefined : site.commands.get(then.by);
  return then && html`${then.says} ${by ? html`<a class="button" href="${pathOf(by)}">${by.title}</a>` : ""}`;
}

/** Returns the answer's file as a download, or undefined. */
export function fileOf(command: ConsoleCommand, answer: unknown): HttpResponse | undefined {
  if ("lines" in command.answer)
    return download(`${command.id}.jsonl`, "application/jsonl", jsonLines(answer as AsyncIterable<unknown>));
  const member = memberWith("holds", command.answer);
  if (member === undefined) return undefined;
  const [file] = (answer as Record<string, readonly AnswerFile[]>)[member]!;
  if (!file) return undefined;
  return download(
    file.name,
    file.name.endsWith(".csv") ? "text/csv; charset=utf-8" : "application/octet-stream",
    file.text,
  );
}

async function* jsonLines(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const item of items) yield `${JSON.stringify(item)}\n`;
}
