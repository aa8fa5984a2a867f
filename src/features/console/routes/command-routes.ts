import type { StatusFacts } from "../../../commands/alarm.ts";
import type { ConsolePage } from "../../../commands/console-page.ts";
import { wholeCsv } from "../../../declare/command/answer-csv.ts";
import { listRows } from "../../../declare/command/answer-table.ts";
import { membersOf, type Texts } from "../../../declare/command/read-texts.ts";
import { confirms, titleOf } from "../../../declare/command.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import type { HttpResponse } from "../../../http/shell/http-response.ts";
import { download, page, streamed } from "../console-response.ts";
import type { PageRequest } from "../console-room.ts";
import { type ConsoleCommand, commandsShownAs, placeOf, urlOf } from "../site-map.ts";
import { worstOf } from "../view/alarm-list.ts";
import { timeOf } from "../view/cells.ts";
import {
  asksByUrl,
  canCheck,
  commandForm,
  type FormState,
  type FormTexts,
  isFilled,
  problemBox,
} from "../view/command-form.ts";
import { framedPage, type MenuCounts } from "../view/frame.ts";
import type { MenuLink } from "../view/menus.ts";
import { recordOfTexts, recordShownBy } from "../view/record-links.ts";
import { answerOf, answerParts, bandOf, fileOf } from "./answers.ts";
import { hasMembers, readTextsOf, textsIn } from "./form-texts.ts";
import { noteOpened } from "./found-names.ts";
import { landedView } from "./landing.ts";
import { learnNames, namedInTexts } from "./learn-names.ts";
import { letterDocument } from "./letter-page.ts";
import {
  answerHead,
  chipMembers,
  chips,
  commandList,
  figuresLine,
  formHead,
  formParts,
  pageHead,
  pageTitle,
  placeTools,
} from "./page-parts.ts";
import { aboveTable, latelyAt } from "./place-parts.ts";
import { makers, type PageSubject, subjectOfPage, tabAddress, tabs, tabText } from "./record-tabs.ts";
import { actOnChosenLink, choicesOf, recordActions } from "./row-actions.ts";
import { effectOf, foreseen, isExpected, letterAs, redacted, rowsAs, runAs, shownTo, statusAtHand } from "./run-as.ts";
import { spans } from "./spans.ts";

/** Renders a page of the menu with its table. */
export async function showPlace(asked: PageRequest, place: ConsolePage): Promise<HttpResponse> {
  const query = new URLSearchParams(asked.query);
  const { timeZone } = asked.config;
  if (place.sinceMonth && !hasMembers(query)) query.set("from", `${timeZone.monthOf(asked.store.now())}-01`);
  const command = place.opens === undefined ? undefined : asked.whole.commands.get(place.opens);
  if (command?.sort !== undefined && !query.has("_sort")) query.set("_sort", command.sort);
  const request = { ...asked, query };
  const about = command && (await subjectOfPage(request, command, textsIn(command, query)));
  if (!command) {
    const tools = placeTools(request, place, []);
    const main = html`${pageHead({ title: place.title, tools })}${commandList(request, place)}`;
    return framed(request, place, place.title, main);
  }
  const shown = await shownAnswer(request, command, place.path, hasMembers(asked.query));
  if ("status" in shown) return shown;
  const byForm = new URLSearchParams(asked.query);
  for (const { name } of chipMembers(command)) byForm.delete(name);
  if (about) byForm.delete(about.by);
  const isOpen = hasMembers(byForm) || shown.problem;
  const form = await filterForm(request, command, { problem: shown.problem, action: place.path });
  const filter =
    form && html`<details class="filter"${isOpen ? html` open` : ""}><summary>Filter</summary>${form}</details>`;
  const above = await aboveTable(request, place);
  const all = hasMembers(asked.query) || shown.problem ? undefined : listRows(command, shown.answer);
  const filters = html`<div class="filters">${await chips(request, command, place.path, all)}${spans(request, command, place.path)}${filter}${shown.tools}</div>`;
  const head = about
    ? await subjectHead(request, command, about, shown.csv)
    : {
        place,
        title: place.title,
        head: pageHead({
          title: place.title,
          tools: placeTools(request, place, shown.csv, { isFilled: !above.text.includes('class="button main"') }),
          below: shown.problem ? "" : figuresLine(request, command, shown.answer),
        }),
      };
  const main = html`${head.head}${above}${filters}${shown.problem && form ? "" : shown.main}${about ? "" : await latelyAt(request, place)}`;
  return framed(request, head.place, head.title, main);
}

/** Renders the head of a page about a record: the record's head with its tabs. */
async function subjectHead(
  request: PageRequest,
  command: ConsoleCommand,
  about: PageSubject,
  more: readonly MenuLink[],
) {
  const { show, by, name, answer } = about;
  const [place, texts] = [placeOf(request.site, show), { [by]: [name] }];
  const links = [...recordActions(request, show, answer), ...makers(request, show, texts), ...more];
  const head = html`${answerHead(request, show, place, { texts, answer, links })}${await tabs(request, about, command)}`;
  const of = pageTitle(request, show, texts, answer);
  return { head, place, title: show === command ? of : `${tabText(request.site, command)} of ${of}` };
}

/** Renders the filter form of a list; empty if all members are filter links. */
async function filterForm(request: PageRequest, command: ConsoleCommand, more: Pick<FormState, "problem" | "action">) {
  const texts = textsIn(command, request.query);
  const byChips = new Set(more.action === undefined ? [] : chipMembers(command).map(({ name }) => name));
  if (membersOf(command.input).every(({ name }) => byChips.has(name))) return "";
  return commandForm(command, { ...(await formParts(request, command, texts)), texts, ...more });
}

/** Renders a command's form; or its answer, if the URL has input or the answer is shown at once (`isCheap`). */
export async function showCommand(request: PageRequest, command: ConsoleCommand): Promise<HttpResponse> {
  const texts = textsIn(command, request.query);
  if (!asksByUrl(command) || !(hasMembers(request.query) || isCheap(command)))
    return commandPage(request, command, { texts, problem: await knownRefusal(request, command, texts) });
  const shown = await shownAnswer(request, command, request.path);
  if ("status" in shown) return shown;
  const { problem, tools } = shown;
  const place = placeOf(request.site, command);
  const form = await filterForm(request, command, { problem });
  await learnNames(request.store.db, request.names, namedInTexts(command, texts));
  const folded =
    form &&
    !recordShownBy(request.site, command) &&
    html`<details class="filter"><summary>Filter</summary>${form}</details>`;
  const { answer, links = [], csv } = shown;
  const about = await subjectOfPage(request, command, texts, answer);
  const { head, ...named } = about
    ? await subjectHead(request, command, about, csv)
    : {
        head: answerHead(request, command, place, { texts, answer, links: [...links, ...csv] }),
        place,
        title: pageTitle(request, command, texts, answer),
      };
  // A report about a record offers itself in other forms, such as a letter.
  const forms = about
    ? links.flatMap(({ id, address, text }) =>
        id === command.id ? html`<a class="button" href="${address}">${text}</a>` : [],
      )
    : [];
  const times = recordShownBy(request.site, command) ? html`` : spans(request, command, request.path);
  const filters =
    folded || forms.length > 0 || `${times.text}${tools.text}` !== ""
      ? html`<div class="filters">${forms}${times}${folded || ""}${tools}</div>`
      : "";
  const main = problem
    ? html`${formHead(request, command, place, {})}${form === "" ? shown.main : form}`
    : html`${head}${choicesOf(request, place, links)}${filters}${shown.main}${await belowRecord(request, command, texts)}`;
  const scripts = command.edits ? ["htmx.js", "webauthn.js", "passkey.js"] : [];
  const shownPage = await framed(request, named.place, named.title, main, { scripts });
  if (recordShownBy(request.site, command) && !problem)
    noteOpened(request, { address: urlOf(request.path, request.query, {}), title: named.title, beside: place.title });
  return shownPage;
}

/** Renders the table below a record, and recent audit entries. */
async function belowRecord(request: PageRequest, command: ConsoleCommand, { ...given }: FormTexts) {
  const { by = "", below = "", lately = [] } = recordShownBy(request.site, command) ?? {};
  const about = request.site.commands.get(below);
  const [name] = given[by] ?? [];
  if (name === undefined) return "";
  const texts = { [by]: name };
  const { answer } = about ? await runAs(request, about, texts) : {};
  const table =
    about && html`<section><h2>${titleOf(about)}</h2>${answerOf(request, about, answer, { texts })}</section>`;
  return html`${table ?? ""}${await latelyAt(request, { lately }, name)}`;
}

/** Rows of each list on a record's page. */
const mostLatest = 8;

/** Renders the first rows of lists about a record, each with a link to the whole list. */
async function latestOf(request: PageRequest, command: ConsoleCommand, given: Texts): Promise<Html[]> {
  const { by = "", latest = [] } = recordShownBy(request.site, command) ?? {};
  const name = String(given[by]);
  const sections = latest.map(async (id) => {
    const about = request.site.commands.get(id);
    if (!about) return html``;
    const limited = membersOf(about.input).some((member) => member.name === "limit") && { limit: String(mostLatest) };
    const { answer } = await runAs(request, about, { [by]: name, ...limited });
    const rows = answerOf(request, about, answer, { texts: { [by]: name }, most: mostLatest, without: by });
    const title = tabText(request.site, about);
    return html`<section><div class="heads"><h2>${title}</h2><a href="${tabAddress(request.site, about, { [by]: name })}">All</a></div>${rows}</section>`;
  });
  return Promise.all(sections);
}

/** Whether a page shows the answer at once: lists without required input, and quick commands without input. */
function isCheap(command: ConsoleCommand): boolean {
  const members = membersOf(command.input);
  if (/\.(?:list|entries|summary)$/.test(command.id)) return !members.some(({ isRequired }) => isRequired);
  return members.length === 0 && command.store !== "untimed";
}

interface ShownAnswer {
  main: Html;
  /** Buttons above the answer. */
  tools: Html;
  csv: readonly MenuLink[];
  problem?: Error;
  answer?: unknown;
  links?: readonly MenuLink[];
}

/** Runs the command of a URL, and returns what to show, or a file. */
async function shownAnswer(
  request: PageRequest,
  command: ConsoleCommand,
  path: string,
  isFiltered = hasMembers(request.query),
): Promise<HttpResponse | ShownAnswer> {
  const { query } = request;
  try {
    const texts = readTextsOf(command, query);
    const letter = query.has("_csv") ? undefined : await letterAs(request, command, texts);
    if (letter) {
      const back = recordOfTexts(request.site, command, (member) => query.get(member)) ?? path;
      return streamed(letterDocument(letter, { back, csv: urlOf(path, query, { _csv: "1" }) }));
    }
    const all = query.get("_csv") === "1" && !query.get("_find") ? await rowsAs(request, command, texts) : undefined;
    if (all) return download(`${command.id}.csv`, "text/csv; charset=utf-8", wholeCsv(command, all));
    const { answer, plain, ageRemark } = await runAs(request, command, texts);
    const file = fileOf(command, answer);
    if (file) return file;
    const latest = await latestOf(request, command, texts);
    const parts = await answerParts({ ...request, path }, command, { answer, plain, latest, isFiltered });
    if ("status" in parts) return parts;
    const next = nextPage(command, answer, texts);
    const older = html`<p><a class="more" href="${urlOf(path, query, { cursor: next, _page: undefined })}">Older rows</a></p>`;
    const main = html`${parts.main}
${ageRemark === undefined ? "" : html`<p class="quiet" role="note">${ageRemark}</p>`}
${next === undefined ? "" : older}`;
    const tools = html`${actOnChosenLink(request, command)}${parts.find}`;
    return { main, tools, answer, csv: parts.csv, links: recordActions(request, command, answer) };
  } catch (problem) {
    if (!isExpected(problem)) throw problem;
    return { main: problemBox(redacted(problem), request.say, command), tools: html``, csv: [], problem };
  }
}

/** Returns the cursor of the next page: from the answer, or from the last row of a full page. */
function nextPage(command: ConsoleCommand, answer: unknown, texts: Texts): string | undefined {
  const members = membersOf(command.input);
  if (!members.some(({ name }) => name === "cursor")) return undefined;
  const most = Number(texts.limit ?? members.find(({ name }) => name === "limit")?.member.default);
  const next = Array.isArray(answer)
    ? answer.length >= most && answer.at(-1)?.cursor
    : (answer as { next?: unknown }).next;
  return typeof next === "string" ? next : undefined;
}

/** Returns the reason why the prefilled command would be refused, so that nobody confirms in vain. */
async function knownRefusal(
  request: PageRequest,
  command: ConsoleCommand,
  texts: FormTexts,
): Promise<Error | undefined> {
  if (!isFilled(command, texts)) return undefined;
  try {
    await effectOf(request, command, readTextsOf(command, request.query));
  } catch (problem) {
    if (isExpected(problem)) return redacted(problem);
    throw problem;
  }
  return undefined;
}

/** Renders the preview of a command that needs no passkey; undefined if it has none. */
async function aheadOf(request: PageRequest, command: ConsoleCommand): Promise<Html | undefined> {
  try {
    const effect = await foreseen(request, command, readTextsOf(command, request.query));
    if (!effect) return undefined;
    const { asks, says } = effect;
    const pieces = says.flatMap((text) => (typeof text === "string" ? [] : text));
    await learnNames(
      request.store.db,
      request.names,
      pieces.filter((piece) => typeof piece !== "string"),
    );
    return html`<section class="panel"><h2>${asks ?? titleOf(command)}</h2><ul class="deeds">${says.map((text) => html`<li>${request.say(text)}</li>`)}</ul></section>`;
  } catch (problem) {
    if (!isExpected(problem)) throw problem;
    // With incomplete input the form asks for the missing members. With complete input this shows the problem.
    return hasMembers(request.query) ? html`<p class="warn">${redacted(problem).message}</p>` : undefined;
  }
}

/** Renders a command's page with its form. */
export async function commandPage(
  request: PageRequest,
  command: ConsoleCommand,
  state: Pick<FormState, "texts" | "was" | "problem" | "offered">,
): Promise<HttpResponse> {
  const place = placeOf(request.site, command);
  const ahead = state.problem ? undefined : await aheadOf(request, command);
  const form = commandForm(command, { ...(await formParts(request, command, state.texts)), ...state, ahead });
  // With a problem, the input may contain a secret in a wrong field.
  const named = state.problem ? {} : state.texts;
  await learnNames(request.store.db, request.names, namedInTexts(command, named));
  const title = `${state.problem ? "Problem: " : ""}${pageTitle(request, command, named)}`;
  const scripts = [
    ...(confirms(command) === "never" ? [] : ["webauthn.js", "passkey.js"]),
    ...(canCheck(command) || command.offers ? ["htmx.js"] : []),
  ];
  return framed(request, place, title, html`${formHead(request, command, place, named)}${form}`, {
    scripts,
    at: null,
  });
}

/** Frames a page. `at`: when its data was read; null without data. `hasBand`: the page shows the worst alarm itself. */
export async function framed(
  request: PageRequest,
  place: ConsolePage,
  title: string,
  main: Html,
  {
    scripts,
    at = request.store.now(),
    hasBand = false,
  }: { scripts?: string[]; at?: number | null; hasBand?: boolean } = {},
): Promise<HttpResponse> {
  const { site, session, store, config, times, opened } = request;
  const read = at === null ? "" : html`<span>Read at ${timeOf(at, times.textOf(at, true))}</span>`;
  const foot = html`${read}<span>Times are ${config.timeZone.nameAt(store.now())}</span>`;
  const above = request.landed ? await landedView(request, request.landed) : "";
  const address = request.landed?.secret && request.landed.address;
  const status = await statusAtHand(request);
  const band = status && !hasBand ? await bandAbove(request, status) : "";
  return page(
    framedPage(
      { title, main: html`${band}${above}${main}`, scripts, address },
      {
        site,
        place,
        session,
        counts: status ? menuCounts(request, status, place) : {},
        opened: opened.get(session.hash) ?? [],
        foot,
      },
    ),
  );
}

/** Returns the counts in the menu. On the page Now alarms count 0, because that page shows and refreshes alarms. */
function menuCounts(
  { site }: PageRequest,
  { unknown_verifications, held, alarms }: StatusFacts,
  place: ConsolePage,
): MenuCounts {
  const open = place.path === "/" ? [] : alarms.filter(({ state }) => state === "open");
  const waits = {
    alarms: { many: open.length, isBad: worstOf(open) !== undefined },
    unknown_verifications: { many: unknown_verifications },
    held: { many: held.length },
  };
  return Object.fromEntries(site.places.flatMap(({ path, count }) => (count ? [[path, waits[count.of]]] : [])));
}

/** Renders an alarm that stops the service, above any page. */
async function bandAbove(request: PageRequest, { alarms, ...status }: StatusFacts): Promise<Html | ""> {
  const [command] = commandsShownAs(request.site, "state");
  const worst = worstOf(alarms);
  if (!command || !worst) return "";
  const shown = (await shownTo(request, command, { ...status, alarms: [worst] })) as StatusFacts;
  return bandOf(request, command, shown.alarms) ?? "";
}
