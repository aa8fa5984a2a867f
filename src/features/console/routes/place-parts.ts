import type { ConsolePage } from "../../../commands/console-page.ts";
import type { RichText } from "../../../declare/command/rich-text.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import { monthName } from "../../../runtime/time-zone.ts";
import type { PageRequest } from "../console-room.ts";
import { firstOfficer } from "../people/people-rows.ts";
import { addressOf, commandsShownAs, placeOf, urlOf } from "../site-map.ts";
import { problemBox } from "../view/command-form.ts";
import { calledName } from "../view/words.ts";
import { answerOf } from "./answers.ts";
import { isExpected, runAs } from "./run-as.ts";

/** Drafts whose differences stand on the page of the catalogue. */
const mostDrafts = 5;

/** What a page shows above the table of its command. */
export async function aboveTable(visit: PageRequest, { path }: ConsolePage): Promise<Html> {
  if (path === "/catalogue") return waitingDrafts(visit);
  if (path === "/people") return ownEmail(visit);
  if (path === "/you") return ownPasskeys(visit);
  return path === "/books" ? books(visit) : html``;
}

/** The first officer has an e-mail that stands for nobody. */
function ownEmail({ session: { person } }: PageRequest): Html {
  if (person.email !== firstOfficer) return html``;
  const address = addressOf({ id: "people.change" }, { person: firstOfficer });
  return html`<p class="warn">Your e-mail is ${firstOfficer}. <a href="${address}">Give your own</a>: pages name you by it.</p>`;
}

/** The passkeys of the person, above the sessions. */
async function ownPasskeys(visit: PageRequest): Promise<Html> {
  const command = visit.site.commands.get("passkeys.list")!;
  const { answer } = await runAs(visit, command, {});
  return html`<h2>Your passkeys</h2>${answerOf(visit, command, answer)}<h2>Your sessions</h2>`;
}

/** Each change that waits, beside what is served, with what a person may do about it. */
async function waitingDrafts(visit: PageRequest): Promise<Html> {
  const history = visit.site.commands.get("catalogue.history")!;
  const { waiting } = (await runAs(visit, history, { limit: "1" })).answer as { waiting: Draft[] };
  const cards = waiting.slice(0, mostDrafts).map(async ({ draft, state, author, note, reasons, holds_from }) => {
    const may = ["approve", "reject"].flatMap((verb) => {
      const command = visit.site.commands.get(`catalogue.${verb}`);
      if (!command || command.fits?.({ state }) === false) return [];
      return [
        html`<a class="button" href="${addressOf(command, { draft })}">${verb === "approve" ? "Approve" : "Reject"} ${draft}</a> `,
      ];
    });
    const when = holds_from === null ? "" : `, holds from ${visit.times.textOf(holds_from)}`;
    return html`<section class="panel draft"><div class="title"><h2>${draft} is ${state}</h2><div class="tools">${may}</div></div>
<p>${calledName(author, visit.names)}${note === "" ? "" : html`: “${note}”`}${when}</p>
${reasons.map((reason) => html`<p class="warn">${visit.say(reason)}</p>`)}
${await differenceOf(visit, draft)}</section>`;
  });
  return html`${await Promise.all(cards)}`;
}

interface Draft {
  draft: string;
  state: string;
  author: string;
  note: string;
  reasons: RichText[];
  holds_from: number | null;
}

/** Switches between the months and the groups that people look at most. */
function books({ query, config: { timeZone }, store }: PageRequest): Html {
  const running = timeZone.monthOf(store.now());
  const last = timeZone.monthOf(timeZone.startOfMonth(running) - 1);
  const usual: Record<string, string | undefined> = { by: "account" };
  const link = (name: string, change: Record<string, string | undefined>) => {
    const isShown = Object.entries(change).every(([member, text]) => (query.get(member) ?? usual[member]) === text);
    return html`<a href="${urlOf("/books", query, change)}"${isShown ? html` aria-current="true"` : ""}>${name}</a>`;
  };
  const months = html`${link(monthName(last), { from: `${last}-01`, to: `${running}-01` })}${link(monthName(running), { from: `${running}-01`, to: undefined })}`;
  const groups = [
    ["Client", "account"],
    ["Vendor", "vendor"],
    ["Day", "day"],
  ].map(([name, by]) => link(name!, { by }));
  return html`<div class="filters"><nav class="switch" aria-label="Month">${months}</nav><nav class="switch" aria-label="A row for each">${groups}</nav></div>`;
}

/** Rows of what happened lately. */
const mostLately = 8;

/** What happened lately to what a page is about. */
export async function latelyAt(visit: PageRequest, { lately = [] }: ConsolePage): Promise<Html> {
  const [command] = commandsShownAs(visit.site, "lately");
  if (!command || lately.length === 0) return html``;
  const found = lately.map((kind) => runAs(visit, command, { kind, lines: String(mostLately) }));
  const entries = (await Promise.all(found)).flatMap(
    ({ answer }) => (answer as { entries: { occurred_at: number }[] }).entries,
  );
  if (entries.length === 0) return html``;
  entries.sort((one, other) => other.occurred_at - one.occurred_at);
  const answer = { entries: entries.slice(0, mostLately), head: null };
  return html`<section><div class="heads"><h2>Lately</h2><a href="${placeOf(visit.site, command).path}">All of it</a></div>${answerOf(visit, command, answer)}</section>`;
}

async function differenceOf(visit: PageRequest, draft: string) {
  const command = visit.site.commands.get("catalogue.show")!;
  const texts = { revision: draft };
  try {
    const { answer } = await runAs(visit, command, texts);
    // A card says the facts of its draft in words.
    return answerOf(visit, command, answer, { texts, of: draft });
  } catch (problem) {
    if (!isExpected(problem)) throw problem;
    return problemBox(problem, visit.say, command);
  }
}
