import type { Desk } from "../../commands/desk.ts";
import { type Html, html } from "../../http/pages/html.ts";
import { membersOf } from "../../operation/command/read-texts.ts";
import type { Command } from "../../operation/command.ts";
import type { SignedIn } from "../console-request.ts";
import type { ConsoleRoom } from "../console-room.ts";
import { type ConsolePage, commandsAt, familyOf, pathOf, verbOf } from "../site-map.ts";
import { commandForm, type FormState } from "../view/command-form.ts";
import { textsIn } from "./form-texts.ts";

type AnyCommand = Command<Desk>;

/** What the forms of a session share. */
export function formParts({ say, config }: ConsoleRoom, { session }: SignedIn): Omit<FormState, "texts"> {
  return { formToken: session.formToken, say, zone: config.timeZone.name };
}

/** `title`: of an answer. Default: that of the form. */
export function commandHead({ say }: ConsoleRoom, command: AnyCommand, place: ConsolePage, title?: string): Html {
  const { summary, description, guide } = command;
  const more = guide
    ? html`<details><summary>${guide.heading.replace(/[.:]$/, "")}</summary><dl>${guide.items.map(([term, text]) => html`<div><dt>${term}</dt><dd>${say(text)}</dd></div>`)}</dl></details>`
    : "";
  const about =
    title === undefined
      ? html`<p class="lead">${say(summary)}</p>${description === undefined ? "" : html`<p class="quiet lines">${say(description)}</p>`}${more}`
      : html`<p class="quiet">${say(summary)}</p>`;
  return html`<p class="crumb"><a href="${place.path}">${place.title}</a></p><h1>${title ?? verbOf(command)}</h1>
${about}`;
}

/** The commands of a page as buttons. Those that act on a row stand behind "More": the rows have links to them. */
export function toolbar(room: ConsoleRoom, { session }: SignedIn, place: ConsolePage): Html {
  const commands = commandsAt(room.site, place, session.person.role);
  const links = (some: readonly AnyCommand[]) =>
    some.map((command) => html`<li><a class="button" href="${pathOf(command)}">${verbOf(command)}</a></li>`);
  const groups = place.families.flatMap((family) => {
    const own = commands.filter((command) => familyOf(command) === family);
    if (own.length === 0) return [];
    const [onRows, others] = [own.filter(actsOnRow), own.filter((command) => !actsOnRow(command))];
    const more =
      onRows.length === 0 ? "" : html`<li><details><summary>More</summary><ul>${links(onRows)}</ul></details></li>`;
    return [
      html`<ul class="tools" aria-label="${family}">${place.families.length > 1 ? html`<li class="quiet">${family}</li>` : ""}${links(others)}${more}</ul>`,
    ];
  });
  return html`<div class="toolbars">${groups}</div>`;
}

function actsOnRow({ input, target: [name] = [] }: AnyCommand): boolean {
  const member = membersOf(input).find((each) => each.name === name)?.member;
  return member !== undefined && !member.private && member.holds === undefined;
}

export function finder({ path, query }: SignedIn): Html {
  const kept = [...query].filter(([name]) => name !== "_find" && name !== "_page");
  return html`<form class="find" method="get" action="${path}">${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<label for="find">Find in the table</label> <input id="find" type="search" name="_find" value="${query.get("_find") ?? ""}"> <button>Find</button></form>`;
}

export function filterForm(
  room: ConsoleRoom,
  command: AnyCommand,
  asked: SignedIn,
  path: string,
  fault: Error | undefined,
): Html {
  if (membersOf(command.input).length === 0)
    return html`<p class="quiet">This table has no filter of its own. Find searches all its cells.</p>`;
  const texts = textsIn(command, asked.query);
  return commandForm(command, { ...formParts(room, asked), texts, fault, action: path });
}
