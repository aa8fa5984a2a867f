import { firstOfficer } from "../../access/people/people-rows.ts";
import { type Html, html } from "../../http/pages/html.ts";
import { mayRun } from "../../operation/command.ts";
import type { SignedIn } from "../console-request.ts";
import type { ConsoleRoom } from "../console-room.ts";
import { type ConsolePage, pathOf, placeOf } from "../site-map.ts";
import { answerView } from "../view/answer-view.ts";
import { problemBox } from "../view/command-form.ts";
import { urlOf } from "./form-texts.ts";
import { linksOf } from "./row-actions.ts";
import { isExpected, runAs } from "./run-as.ts";

/** Drafts whose differences stand on the page of the catalogue. */
const mostDrafts = 5;

/** What a page shows above the table of its command. */
export async function aboveTable(room: ConsoleRoom, asked: SignedIn, { path }: ConsolePage): Promise<Html> {
  if (path === "/catalogue") return waitingDrafts(room, asked);
  if (path === "/people") return ownEmail(asked);
  if (path === "/you") return ownPasskeys(room, asked);
  return path === "/books" ? books(room, asked) : html``;
}

/** The first officer has an e-mail that stands for nobody. */
function ownEmail({ session: { person } }: SignedIn): Html {
  if (person.email !== firstOfficer) return html``;
  const address = `/people/change?${new URLSearchParams({ person: firstOfficer })}`;
  return html`<p class="note warn">Your e-mail is ${firstOfficer}. <a href="${address}">Give your own</a>: pages name you by it.</p>`;
}

/** The passkeys of the person, above the sessions. */
async function ownPasskeys(room: ConsoleRoom, asked: SignedIn): Promise<Html> {
  const command = room.site.commands.get("passkeys.list")!;
  const { answer } = await runAs(room, asked, command, {});
  const view = { sort: "", find: "", page: 1 };
  const links = linksOf(room, asked, placeOf(room.site, command), command);
  const plain = { say: room.say, zone: room.config.timeZone, urlFor: () => pathOf(command) };
  return html`<h2>Your passkeys</h2>${answerView({ command, answer, view, links, ...plain })}<h2>Your sessions</h2>`;
}

/** Each change that waits, beside what is served, with what a person may do about it. */
async function waitingDrafts(room: ConsoleRoom, asked: SignedIn): Promise<Html> {
  const history = room.site.commands.get("catalogue.history")!;
  const { waiting } = (await runAs(room, asked, history, { limit: "1" })).answer as { waiting: Draft[] };
  const cards = waiting.slice(0, mostDrafts).map(async ({ draft, state, author, note, reasons, holds_from }) => {
    const may = ["approve", "reject"].flatMap((verb) => {
      const command = room.site.commands.get(`catalogue.${verb}`)!;
      if (!mayRun(asked.session.person.role, command) || command.fits?.({ state }) === false) return [];
      const address = urlOf(pathOf(command), new URLSearchParams(), { draft });
      return [html`<a class="button" href="${address}">${verb === "approve" ? "Approve" : "Reject"} ${draft}</a> `];
    });
    const when = holds_from === null ? "" : `, holds from ${room.config.timeZone.textOf(holds_from)}`;
    return html`<section class="card"><div class="title"><h2>${draft} is ${state}</h2><p class="tools">${may}</p></div>
<p>${author}${note === "" ? "" : html`: “${note}”`}${when}</p>
${reasons.map((reason) => html`<p class="note warn">${reason}</p>`)}
${await differenceOf(room, asked, draft)}</section>`;
  });
  return html`${await Promise.all(cards)}`;
}

interface Draft {
  draft: string;
  state: string;
  author: string;
  note: string;
  reasons: string[];
  holds_from: number | null;
}

/** Links to the periods and groups that people look at most, and to what finds differences. */
function books(room: ConsoleRoom, { query }: SignedIn): Html {
  const today = room.config.timeZone.dayOf(room.store.now());
  const link = (name: string, change: Record<string, string | undefined>) => {
    const isShown = Object.entries(change).every(([member, text]) => (query.get(member) ?? usual[member]) === text);
    const address = urlOf("/books", query, { from: query.get("from") ?? today, ...change });
    return html`<a class="button" href="${address}"${isShown ? html` aria-current="true"` : ""}>${name}</a> `;
  };
  const usual: Record<string, string | undefined> = { by: "account", from: today };
  const month = { from: `${today.slice(0, 7)}-01`, to: undefined };
  return html`<div class="ranges">${link("Today", { from: today, to: undefined })}${link("This month", month)}
<span class="gap"></span>${["account", "day", "vendor"].map((by) => link(`By ${by}`, { by }))}</div>
<p class="quiet">To find differences, <a href="/books/reconcile">compare the invoice of a vendor</a> with what Duba asked it, or
<a href="/audit/reconcile">the ledger with the audit trail</a>.</p>`;
}

async function differenceOf(room: ConsoleRoom, asked: SignedIn, draft: string) {
  const command = room.site.commands.get("catalogue.show")!;
  const texts = { revision: draft };
  try {
    const { answer } = await runAs(room, asked, command, texts);
    const view = { sort: "", find: "", page: 1 };
    const address = (change: Record<string, string | undefined>) =>
      urlOf(pathOf(command), new URLSearchParams(), { ...texts, _run: "1", ...change });
    const links = linksOf(room, asked, placeOf(room.site, command), command);
    // A card says the facts of its draft in words.
    const {
      say,
      config: { timeZone: zone },
    } = room;
    const parts = { command, answer, view, urlFor: address, say, zone, links };
    return answerView({ ...parts, of: draft });
  } catch (problem) {
    if (!isExpected(problem)) throw problem;
    return problemBox(problem, room.say, command);
  }
}
