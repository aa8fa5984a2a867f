import { type RecordKind, recordKinds } from "../../commands/records/record-kinds.ts";
import { type Html, html } from "../../http/pages/html.ts";
import { memberWith, recordOf } from "../../operation/command/answer-table.ts";
import { isRow } from "../../operation/command/projected.ts";
import { membersOf } from "../../operation/command/read-texts.ts";
import type { Visit } from "../console-room.ts";
import {
  type ConsoleCommand,
  type ConsolePage,
  commandNames,
  commandsAt,
  familyOf,
  labelFor,
  pathOf,
  placeOf,
  urlOf,
  verbOf,
} from "../site-map.ts";
import type { FormState, FormTexts } from "../view/command-form.ts";
import { recordShownBy } from "../view/record-links.ts";
import { deskAs, foundAs } from "./run-as.ts";

/** More are not offered to choose from: a page would be mostly them. */
const mostAccounts = 500;

/** What a form needs beside what a person gave. */
export async function formParts(
  visit: Visit,
  command: ConsoleCommand,
  texts: FormTexts,
): Promise<Omit<FormState, "texts" | "problem">> {
  const { say, config, session } = visit;
  const all = "account" in command.input.properties ? await deskAs(visit).accounts.all() : [];
  return {
    ...{ formToken: session.formToken, person: session.person.id, say, zone: config.timeZone.name },
    vendors: config.upstreams,
    accounts: all.length > mostAccounts ? [] : all,
    set: await setNow(visit, command, texts),
  };
}

/** Members of a form that records call otherwise. */
const named: Readonly<Record<string, string>> = { expires: "expires_at", scope: "scopes", address: "addresses" };

/** What the record of a form's target has in the members that the form can change. */
async function setNow(
  visit: Visit,
  { kind, target: [by] = [], input }: ConsoleCommand,
  texts: FormTexts,
): Promise<Record<string, string>> {
  const shows = Object.values<RecordKind>(recordKinds).find(
    (record) => record.by === by && record.show.endsWith(".show"),
  );
  const command = shows && visit.site.commands.get(shows.show);
  const [name] = (by !== undefined && texts[by]) || [];
  if (kind === "read" || !command || name === undefined || !shows.named.test(name)) return {};
  const shown = Object.keys((command.answer as { properties?: object }).properties ?? {});
  const shared = membersOf(input).filter(({ name }) => name !== by && shown.includes(named[name] ?? name));
  if (shared.length === 0) return {};
  const answer = await foundAs(visit, command, { [by!]: name });
  const members = isRow(answer) ? recordOf(command.answer, answer, visit.config.timeZone) : [];
  const held = new Map(members.map(({ name, text }) => [name, text]));
  return Object.fromEntries(
    shared.flatMap(({ name }) => {
      const text = held.get(named[name] ?? name);
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

/** What the commands of a family act on, where it is not the family's name without its last letter. */
const things: Readonly<Record<string, string>> = {
  ...{ people: "person", prices: "prices", catalogue: "catalogue", ledger: "verification", books: "books" },
  ...{ routes: "vendor", upstreams: "vendor", subjects: "data of a person", keyring: "key ring" },
};

/** Titles of changes that are no verb with a thing, and of the letter to a client. */
const titles: Readonly<Record<string, string>> = {
  ...{ "ledger.note": "Note on verification", "accounts.note": "Note on account" },
  ...{ "prices.join": "Put account into price group", "prices.leave": "Take account out of price group" },
  ...{ "catalogue.approve": "Approve change", "catalogue.reject": "Reject change", "catalogue.edit": "Edit entry" },
  ...{ "catalogue.change-prices": "Change prices", "catalogue.revert": "Revert revision" },
  ...{ "books.rebuild-sums": "Rebuild sums", "books.statement": "Statement" },
  ...{
    "books.adjust": "Correct a charge",
    "books.price": "Correct bills of a vendor",
    "sessions.end-others": "End other sessions",
  },
  ...{ "books.settle-unknown": "Settle unknown outcomes by an invoice" },
};

/** What a change is called: "New key", "Revoke key". */
function changeTitle(command: ConsoleCommand): string {
  const [family = "", ...words] = command.id.split(".");
  const [verb = family] = words.slice(-1);
  const group = words.length > 1 ? words[0]! : family;
  const thing = things[group] ?? group.replace(/s$/, "");
  return (
    titles[command.id] ??
    commandNames[command.id] ??
    (/^(?:create|add)$/.test(verb) ? `New ${thing}` : `${labelFor(verb)} ${thing}`)
  );
}

/**
 * The title of a command's page: of "keys.create" "New key", of what it shows "Account shop@example.com", and of a report "Books:
 * statement of shop@example.com".
 */
export function titleOf(command: ConsoleCommand, texts: FormTexts = {}): string {
  const verb = verbOf(command);
  if (!command.id.includes(".")) return verb;
  const family = labelFor(familyOf(command));
  const required = membersOf(command.input).flatMap(({ name, isRequired }) => (isRequired ? [name] : []));
  const subject = (command.target ?? required).flatMap((each) => texts[each] ?? []).join(", ");
  const [name] = command.target ?? [];
  if (command.id.endsWith(".show") && name !== undefined && subject !== "")
    return name === "account" && family !== "Accounts"
      ? `${family} of ${subject}`
      : `${labelFor(recordShownBy(command)?.name ?? name)} ${subject}`;
  if (command.kind !== "read") return subject === "" ? changeTitle(command) : `${changeTitle(command)}: ${subject}`;
  const title = titles[command.id] ?? `${family}: ${verb.charAt(0).toLowerCase()}${verb.slice(1)}`;
  return subject === "" ? title : `${title} of ${subject}`;
}

/** Of a longer description a form shows the first paragraph: on a phone it would stand before all fields. */
const longestAbout = 400;

/** `shown`: the texts that the page answers. Default: it is a form. */
export function commandHead({ say }: Visit, command: ConsoleCommand, place: ConsolePage, shown?: FormTexts): Html {
  const { summary, description, guide } = command;
  const more = guide
    ? html`<details><summary>${guide.heading.replace(/[.:]$/, "")}</summary><dl>${guide.items.map(([term, text]) => html`<div><dt>${term}</dt><dd>${say(text)}</dd></div>`)}</dl></details>`
    : "";
  const isLong = description !== undefined && description.length > longestAbout;
  const [first = "", ...rest] = isLong ? description.split("\n") : [description];
  const quiet = (text: string) => (text === "" ? "" : html`<p class="quiet lines">${say(text)}</p>`);
  const folded = rest.length === 0 ? "" : html`<details><summary>Read on</summary>${quiet(rest.join("\n"))}</details>`;
  const about =
    shown === undefined
      ? html`<p class="lead">${say(summary)}</p>${quiet(first)}${folded}${more}`
      : recordShownBy(command)
        ? ""
        : html`<p class="quiet">${say(summary)}</p>`;
  return html`<p class="crumb"><a href="${place.path}">${place.title}</a></p><h1>${titleOf(command, shown)}</h1>
${about}`;
}

/** Links from the page of one thing to what else shows it, and makes more of it: from an account to its keys, its statement and a new key. */
export function seeAlso({ site }: Visit, command: ConsoleCommand, texts: FormTexts): Html {
  const [name] = command.target ?? [];
  const [subject] = (name !== undefined && texts[name]) || [];
  if (!command.id.endsWith(".show") || name === undefined || subject === undefined) return html``;
  const links = [...site.commands.values()].flatMap((other) => {
    // Each family has ids of its own.
    const isAbout =
      (name !== "id" || familyOf(other) === familyOf(command)) &&
      membersOf(other.input).some((member) => member.name === name);
    const isMore = other.kind === "read" || /\.(?:create|add)$/.test(other.id);
    if (other.id === command.id || !isAbout || !isMore) return [];
    if (memberWith("holds", other.answer) !== undefined) return [];
    const place = placeOf(site, other);
    const isOpening = place.opens === other.id;
    const address = urlOf(isOpening ? place.path : pathOf(other), new URLSearchParams(), { [name]: subject });
    return [html`<a href="${address}">${isOpening ? place.title : titleOf(other)}</a> `];
  });
  return links.length === 0 ? html`` : html`<p class="links also">See also: ${links}</p>`;
}

/** What a page without a table can show and do. */
export function commandList({ site, say }: Visit, place: ConsolePage): Html {
  return html`<dl>${commandsAt(site, place).map((command) => html`<div><dt><a href="${pathOf(command)}">${verbOf(command)}</a></dt><dd>${say(command.summary)}</dd></div>`)}</dl>`;
}

/** The commands of a page as buttons. Those that act on a row stand behind "More": the rows have links to them. */
export function toolbar({ site }: Visit, place: ConsolePage): Html {
  const commands = commandsAt(site, place);
  const links = (some: readonly ConsoleCommand[]) =>
    some.map((command) => html`<li><a class="button" href="${pathOf(command)}">${verbOf(command)}</a></li>`);
  const groups = place.families.flatMap((family) => {
    const own = commands.filter((command) => familyOf(command) === family);
    if (own.length === 0) return [];
    const [onRows, others] = [own.filter(actsOnRow), own.filter((command) => !actsOnRow(command))];
    const more =
      onRows.length === 0 ? "" : html`<li><details><summary>More</summary><ul>${links(onRows)}</ul></details></li>`;
    return [
      html`<ul class="tools" aria-label="${labelFor(family)}">${place.families.length > 1 ? html`<li class="quiet">${labelFor(family)}</li>` : ""}${links(others)}${more}</ul>`,
    ];
  });
  return html`<div class="toolbars">${groups}</div>`;
}

function actsOnRow({ id, input, target: [name] = [] }: ConsoleCommand): boolean {
  if (/\.(?:create|add|invite)$/.test(id)) return false;
  const member = membersOf(input).find((each) => each.name === name)?.member;
  return member !== undefined && !member.private && member.holds === undefined;
}

export function finder({ path, query }: Visit): Html {
  const kept = [...query].filter(([name]) => name !== "_find" && name !== "_page");
  return html`<form class="find" method="get" action="${path}">${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<label for="find">Find in these rows</label> <input id="find" type="search" name="_find" value="${query.get("_find") ?? ""}"> <button>Find</button></form>`;
}

/** More words than these are chosen in the form. */
const mostChips = 8;

/** The members whose words stand as links above a list. */
export function chipMembers({ input }: ConsoleCommand) {
  return membersOf(input).filter(
    ({ member, isRequired }) =>
      !isRequired && member.default === undefined && member.enum !== undefined && member.enum.length <= mostChips,
  );
}

/** The words that people filter a list by, as links: of the states of verifications, for example, with how many there are of each. */
export async function chips(visit: Visit, command: ConsoleCommand, path: string): Promise<Html> {
  const { query } = visit;
  const counts = await command.choiceCounts?.(deskAs(visit));
  return html`${chipMembers(command).map(({ name, member }) => {
    // Beside another filter they would count what it hides.
    const isAlone = [...query].every(([each, text]) => each === name || each.startsWith("_") || text === "");
    const countOf = (word: string) => (isAlone && counts?.[name]?.[word]) || 0;
    const links = [undefined, ...member.enum!].map((word) => {
      const address = urlOf(path, query, { [name]: word, cursor: undefined, _page: undefined });
      const isChosen = (query.get(name) ?? "") === (word ?? "");
      return html`<li><a class="chip" href="${address}"${isChosen ? html` aria-current="true"` : ""}>${word === undefined ? "any" : word.replaceAll("_", " ")}${word !== undefined && countOf(word) > 0 ? html` <strong>${countOf(word).toLocaleString("en")}</strong>` : ""}</a></li>`;
    });
    return html`<ul class="chips" aria-label="${labelFor(name)}"><li class="quiet">${labelFor(name)}</li>${links}</ul>`;
  })}`;
}
