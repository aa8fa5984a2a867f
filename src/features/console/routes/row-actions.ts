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

/** Returns a function that finds a row's links: to the row's record, and to commands that suit the row. */
export function linksOf({ site, config }: PageRequest, listed: ConsoleCommand) {
  const commands = commandsAt(site, placeOf(site, listed));
  const link = recordLinks(site);
  return (row: TableRow): RowLinks => {
    let own: RowLinks["own"];
    const actions = commands.flatMap((command): MenuLink[] => {
      const [name] = command.target ?? [];
      if (name === undefined || command.id === listed.id) return [];
      const split = membersOf(command.input).find(({ member }) => member.of && Array.isArray(row[`${member.of}s`]));
      // For a row with several parts, such as a vendor's checks: a link for each suitable part, and one for all.
      const parts = split
        ? (row[`${split.member.of}s`] as TableRow[]).filter((part) => command.fits?.({ ...row, ...part }) !== false)
        : [];
      if (split ? parts.length === 0 : command.fits?.(row) === false) return [];
      // The button for new records stands above the list.
      if (isMaker(command)) return [];
      // Notes are written on the record's page.
      if (command.id.endsWith(".note") && !listed.id.endsWith(".show")) return [];
      const isOwn = familyOf(command) === familyOf(listed);
      const value =
        row[name] ??
        row[`request_${name}`] ??
        (name === "revision" ? row.draft : undefined) ??
        (isOwn ? [row.id, row.email].find((each) => isNamed(site, name, each)) : undefined) ??
        // Vendors have names instead of ids.
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
      // A command for a single cell has only its form as a page, so the row leads there.
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
    // Irreversible commands come last.
    return {
      own,
      actions: [...actions.filter((each) => !each.isDanger), ...actions.filter((each) => each.isDanger)],
      link,
    };
  };
}

/** Adds a part's name to a title: "Pause Dojah…". */
function withName(title: string, name: string): string {
  return title.replace(/(…?)$/, ` ${calledName(name, new Map())}$1`);
}

/** Whether a text has the form of this member's names. */
function isNamed(site: SiteMap, by: string, name: unknown): boolean {
  const records = Object.values(site.records).filter((record) => record.by === by);
  return records.length === 0 || records.some(({ named }) => named.test(String(name)));
}

/** Returns a record's links to commands. */
export function recordActions(request: PageRequest, command: ConsoleCommand, answer: unknown): readonly MenuLink[] {
  if (!isRow(answer)) return [];
  const filled = [...request.site.commands.values()].flatMap((other): MenuLink[] => {
    const { input, title = "" } = other.fills?.(answer) ?? {};
    return input ? [{ address: addressOf(other, input), text: title, id: other.id }] : [];
  });
  return [...linksOf(request, command)(answer).actions, ...filled];
}

/** Renders the choices about a record: when each is right, and what happens to the money. */
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

/** Renders a link from filtered rows to a command for all of them. Not for rows found by the search field. */
export function actOnChosenLink({ site, query }: PageRequest, listed: ConsoleCommand): Html {
  const change = site.commands.get(listed.actsOnChosen ?? "");
  if (!change || query.get("_find")) return html``;
  const known = membersOf(change.input);
  // The target must be chosen in the list first, such as the account of keys.
  if (change.target?.some((name) => !query.get(name))) return html``;
  const chosen = membersOf(listed.input).flatMap(({ name }) =>
    known.some((each) => each.name === name) ? [[name, query.get(name) || undefined] as const] : [],
  );
  return html`<a class="button" href="${addressOf(change, Object.fromEntries(chosen))}">${titleOf(change)}</a>`;
}

/** Returns a function that renders a cell's form, such as the price of a catalogue entry. */
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
