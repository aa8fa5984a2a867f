import type { ConsolePage } from "../../../commands/console-page.ts";
import type { RichText } from "../../../declare/command/rich-text.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import { monthName } from "../../../runtime/time-zone.ts";
import type { PageRequest } from "../console-room.ts";
import { firstOfficer } from "../people/people-rows.ts";
import { addressOf, commandsShownAs, placeOf, urlOf } from "../site-map.ts";
import { timeOf } from "../view/cells.ts";
import { problemBox } from "../view/command-form.ts";
import { calledName } from "../view/words.ts";
import { answerOf } from "./answers.ts";
import { isExpected, runAs } from "./run-as.ts";

/** Most drafts shown with their differences on the page of the catalogue. */
const mostDrafts = 5;

/** Renders what a page shows above its table. */
export async function aboveTable(request: PageRequest, { path }: ConsolePage): Promise<Html> {
  if (path === "/catalogue") return waitingDrafts(request);
  if (path === "/people") return ownEmail(request);
  if (path === "/you") return ownPasskeys(request);
  return path === "/books" ? books(request) : html``;
}

/** Asks the first officer for a real e-mail, in place of the invented one. */
export function ownEmail({ session: { person } }: PageRequest): Html {
  if (person.email !== firstOfficer) return html``;
  const address = addressOf({ id: "people.change" }, { person: firstOfficer });
  return html`<p class="warn">Your e-mail is ${firstOfficer}. <a href="${address}">Give your own</a>: pages name you by it.</p>`;
}

/** Renders the person's passkeys, above the sessions. */
async function ownPasskeys(request: PageRequest): Promise<Html> {
  const command = request.site.commands.get("passkeys.list")!;
  const { answer } = await runAs(request, command, {});
  return html`<h2>Your passkeys</h2>${answerOf(request, command, answer)}<h2>Your sessions</h2>`;
}

/** Renders waiting changes, each with its differences and buttons. */
async function waitingDrafts(request: PageRequest): Promise<Html> {
  const history = request.site.commands.get("catalogue.history")!;
  const { waiting } = (await runAs(request, history, { limit: "1" })).answer as { waiting: Draft[] };
  const shown = waiting.slice(0, mostDrafts);
  const approve = request.site.commands.get("catalogue.approve");
  // Only one button of the page is filled.
  const first = shown.find((each) => approve && approve.fits?.({ ...each }) !== false);
  const cards = shown.map(async ({ draft, state, author, note, reasons, created_at, holds_from }) => {
    const may = ["approve", "reject"].flatMap((verb) => {
      const command = request.site.commands.get(`catalogue.${verb}`);
      if (!command || command.fits?.({ state }) === false) return [];
      return [
        html`<a class="${verb === "approve" && draft === first?.draft ? "button main" : "button"}" href="${addressOf(command, { draft })}">${verb === "approve" ? "Approve" : "Reject"} ${draft}</a> `,
      ];
    });
    const since = timeOf(created_at, request.times.textOf(created_at));
    const when = holds_from === null ? "" : `, takes effect ${request.times.textOf(holds_from)}`;
    return html`<section class="panel draft"><div class="title"><h2>Change ${draft} ${state === "held" ? "waits for approval" : `is ${state}`}</h2><div class="tools">${may}</div></div>
<p>${calledName(author, request.names)}, since ${since}${note === "" ? "" : html`: “${note}”`}${when}</p>
${reasons.map((reason) => html`<p class="warn">${request.say(reason)}</p>`)}
${await differenceOf(request, draft)}</section>`;
  });
  return html`${await Promise.all(cards)}`;
}

interface Draft {
  draft: string;
  state: string;
  author: string;
  note: string;
  reasons: RichText[];
  created_at: number;
  holds_from: number | null;
}

/** Renders links to this month and the last one, and links that choose a row for each client, vendor or day. */
function books({ query, config: { timeZone }, store }: PageRequest): Html {
  const running = timeZone.monthOf(store.now());
  const last = timeZone.monthOf(timeZone.startOfMonth(running) - 1);
  const usual: Record<string, string | undefined> = { by: "account" };
  const link = (name: string, change: Record<string, string | undefined>) => {
    const isShown = Object.entries(change).every(([member, text]) => (query.get(member) ?? usual[member]) === text);
    return html`<a href="${urlOf("/books", query, change)}"${isShown ? html` aria-current="true"` : ""}>${name}</a>`;
  };
  const months = html`${link(monthName(last), { from: `${last}-01`, to: timeZone.dayOf(timeZone.startOfMonth(running) - 1) })}${link(monthName(running), { from: `${running}-01`, to: undefined })}`;
  const groups = [
    ["Client", "account"],
    ["Vendor", "vendor"],
    ["Day", "day"],
  ].map(([name, by]) => link(name!, { by }));
  return html`<div class="filters"><nav class="switch" aria-label="Month">${months}</nav><nav class="switch" aria-label="A row for each">${groups}</nav></div>`;
}

/** How many recent audit entries a page shows. */
const mostLately = 8;

/** How many entries of a kind we read to find those about one record. */
const mostLooked = 100;

/** Renders recent audit entries about a page. `name`: only entries that name this record. */
export async function latelyAt(
  request: PageRequest,
  { lately = [] }: Pick<ConsolePage, "lately">,
  name?: string,
): Promise<Html> {
  const [command] = commandsShownAs(request.site, "lately");
  if (!command || lately.length === 0) return html``;
  const lines = String(name === undefined ? mostLately : mostLooked);
  const found = lately.map((kind) => runAs(request, command, { kind, lines }));
  const entries = (await Promise.all(found))
    .flatMap(({ answer }) => (answer as { entries: { occurred_at: number; facts: unknown }[] }).entries)
    .filter(({ facts }) => name === undefined || namesIn(facts).includes(name));
  if (entries.length === 0) return html``;
  entries.sort((one, other) => other.occurred_at - one.occurred_at);
  const answer = { entries: entries.slice(0, mostLately), head: null };
  return html`<section><div class="heads"><h2>Recent changes</h2><a href="${placeOf(request.site, command).path}">See all</a></div>${answerOf(request, command, answer)}</section>`;
}

/** Returns the words in an entry's facts. A fact such as an order of vendors contains several words. */
function namesIn(facts: unknown): string[] {
  return Object.values(Object(facts)).flatMap((fact) => String(fact).split(/[\s,]+/));
}

async function differenceOf(request: PageRequest, draft: string) {
  const command = request.site.commands.get("catalogue.show")!;
  const texts = { revision: draft };
  try {
    const { answer } = await runAs(request, command, texts);
    // The card itself describes the draft, so the answer shows only tables and sentences.
    return answerOf(request, command, answer, { texts, of: draft });
  } catch (problem) {
    if (!isExpected(problem)) throw problem;
    return problemBox(problem, request.say, command);
  }
}
