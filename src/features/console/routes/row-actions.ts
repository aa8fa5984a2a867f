import type { ConsolePage } from "../../../commands/console-page.ts";
import type { TableRow } from "../../../declare/command/answer-table.ts";
import { isRow } from "../../../declare/command/projected.ts";
import { membersOf } from "../../../declare/command/read-texts.ts";
import { titleOf } from "../../../declare/command.ts";
import { nairaOf } from "../../../declare/money.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import type { PageRequest } from "../console-room.ts";
import {
  addressOf,
  type ConsoleCommand,
  commandsAt,
  familyOf,
  isMaker,
  labelFor,
  pathOf,
  placeOf,
  type SiteMap,
} from "../site-map.ts";
import { formId, passkeyProblem } from "../view/command-form.ts";
import type { MenuLink } from "../view/menus.ts";
import type { RowLinks } from "../view/paged-table.ts";
import { recordLinks, recordShownBy } from "../view/record-links.ts";
import { calledName } from "../view/words.ts";

/** The links from a row to the page of what it is about, and to the commands that act on it. */
export function linksOf({ site, config }: PageRequest, listed: ConsoleCommand) {
  const commands = commandsAt(site, placeOf(site, listed));
  const link = recordLinks(site);
  return (row: TableRow): RowLinks => {
    let own: RowLinks["own"];
    const actions = commands.flatMap((command): MenuLink[] => {
      const [name] = command.target ?? [];
      if (name === undefined || command.id === listed.id) return [];
      const split = membersOf(command.input).find(({ member }) => member.of && Array.isArray(row[`${member.of}s`]));
      // A row of several things has a link for each that fits, and one for all.
      const parts = split
        ? (row[`${split.member.of}s`] as TableRow[]).filter((part) => command.fits?.({ ...row, ...part }) !== false)
        : [];
      if (split ? parts.length === 0 : command.fits?.(row) === false) return [];
      // What makes a new thing stands above the list.
      if (isMaker(command)) return [];
      // A note is written on the page of the thing.
      if (command.id.endsWith(".note") && !listed.id.endsWith(".show")) return [];
      const isOwn = familyOf(command) === familyOf(listed);
      const value =
        row[name] ??
        row[`request_${name}`] ??
        (name === "revision" ? row.draft : undefined) ??
        (isOwn ? [row.id, row.email].find((each) => isNamed(site, name, each)) : undefined) ??
        // A vendor has no id.
        (recordShownBy(site, listed)?.by === name ? row.name : undefined);
      const { member } = membersOf(command.input).find((each) => each.name === name)!;
      if ((typeof value !== "string" && typeof value !== "number") || member.private || member.holds) return [];
      if (member.read && member.read(String(value), config.timeZone) === undefined) return [];
      if (member.enum && !member.enum.includes(String(value))) return [];
      const also = membersOf(command.input).flatMap(({ name, member }) => {
        const known = row[member.of ?? (command.target!.includes(name) ? name : "")];
        return typeof known === "string" || typeof known === "number" ? [[name, String(known)]] : [];
      });
      const known = { ...Object.fromEntries(also), [name]: String(value) };
      const address = addressOf(command, known);
      // What a cell changes has no page but the form that changes all of it.
      if (isOwn && (command.id.endsWith(".show") || command.id === listed.edits?.by)) {
        own = { name: String(value), address };
        return [];
      }
      const isDanger = command.kind === "danger";
      const text = member.isVendor ? withName(command.title, String(value)) : command.title;
      if (!split) return [{ address, text, id: command.id, isDanger, isApart: isDanger }];
      const links = parts.map((part) => {
        const word = String(part[split.member.of!]);
        const one = { ...known, [split.name]: word };
        return {
          id: command.id,
          address: addressOf(command, one),
          text: withName(command.title, word),
          isPart: true,
        };
      });
      const all = { id: command.id, address, text, isPart: true, isWhole: true };
      return links.length === 1 ? links : [...links, all];
    });
    // What nobody can undo stands last.
    return {
      own,
      actions: [...actions.filter((each) => !each.isDanger), ...actions.filter((each) => each.isDanger)],
      link,
    };
  };
}

/** Such as "Pause Dojah…": what a deed is done to, where a row has several. */
function withName(title: string, name: string): string {
  return title.replace(/(…?)$/, ` ${calledName(name, new Map())}$1`);
}

/** Whether a record that goes by this member may have the name. */
function isNamed(site: SiteMap, by: string, name: unknown): boolean {
  const records = Object.values(site.records).filter((record) => record.by === by);
  return records.length === 0 || records.some(({ named }) => named.test(String(name)));
}

/** Links from an answer that is about one thing. */
export function recordActions(request: PageRequest, command: ConsoleCommand, answer: unknown): readonly MenuLink[] {
  if (!isRow(answer)) return [];
  const filled = [...request.site.commands.values()].flatMap((other): MenuLink[] => {
    const { input, title = "" } = other.fills?.(answer) ?? {};
    return input ? [{ address: addressOf(other, input), text: title, id: other.id }] : [];
  });
  return [...linksOf(request, command)(answer).actions, ...filled];
}

/** What a person can decide about a record, with what becomes of the money. */
export function choicesOf({ site }: PageRequest, place: ConsolePage, links: readonly MenuLink[]): Html {
  const lines = links.flatMap(({ id = "", address, text }) =>
    (site.commands.get(id)?.choices ?? []).map(
      ({ when, money }) =>
        html`<li><div><strong>${when}</strong><p>${money}</p></div><a class="button" href="${address}">${text}</a></li>`,
    ),
  );
  if (lines.length === 0) return html``;
  return html`<section><div class="heads"><h2>What can be done</h2></div><ol class="choices"><li><div><strong>Wait for the invoice of the vendor</strong><p>The usual choice: it says whether the vendor did the work. Nobody is charged meanwhile.</p></div><a class="button main" href="${place.path}">Wait</a></li>${lines}</ol></section>`;
}

/** A link from rows that a person chose to what acts on them all. Rows found in a table are no choice. */
export function actOnChosenLink({ site, query }: PageRequest, listed: ConsoleCommand): Html {
  const change = site.commands.get(listed.actsOnChosen ?? "");
  if (!change || query.get("_find")) return html``;
  const known = membersOf(change.input);
  // What it acts on is chosen in the list first, such as the account of keys.
  if (change.target?.some((name) => !query.get(name))) return html``;
  const chosen = membersOf(listed.input).flatMap(({ name }) =>
    known.some((each) => each.name === name) ? [[name, query.get(name) || undefined] as const] : [],
  );
  return html`<a class="button" href="${addressOf(change, Object.fromEntries(chosen))}">${titleOf(change)}</a>`;
}

/** The form in a cell that changes it: an amount, such as the price of an entry of the catalogue. */
export function editorOf({ site, session }: PageRequest, { edits }: ConsoleCommand) {
  const edit = edits && site.commands.get(edits.by);
  if (!edit) return undefined;
  const { names } = edits;
  return (row: TableRow, column: string): Html | undefined => {
    const amount = row[column];
    if (column !== edits.column || typeof amount !== "number") return undefined;
    return html`<form class="inline" method="post" action="${pathOf(edit)}" data-passkey hx-post="${pathOf(edit)}" hx-trigger="confirmed" hx-target="find output" hx-select=".outcome > .says:last-child, .problem">
<input type="hidden" name="_token" value="${session.formToken}">${formId()}<input type="hidden" name="${names}" value="${String(row[names])}">
<input name="${column}" value="${nairaOf(amount)}" inputmode="decimal" aria-label="${labelFor(column)} of ${String(row[names])}"> <button class="button">Save</button><output></output>${passkeyProblem}</form>`;
  };
}
