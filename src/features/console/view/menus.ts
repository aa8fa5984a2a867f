import { hash } from "node:crypto";
import { type Html, html } from "../../../http/pages/html.ts";

/** A link of a menu. */
export interface MenuLink {
  address: string;
  text: string;
  /** The id of the link's command. */
  id?: string;
  /** The command is irreversible. */
  isDanger?: boolean;
  /** The link concerns one part of a record, such as one kind of check of a vendor. */
  isPart?: boolean;
  /** The link concerns all parts of a record at once. */
  isWhole?: boolean;
  /** The link starts a group, with a line and this heading. */
  isApart?: boolean;
  heading?: string | undefined;
}

/** Renders an icon of the sprite file, hidden from screen readers. */
export function icon(name: string): Html {
  return html`<svg aria-hidden="true"><use href="/assets/icons.svg#${name}"/></svg>`;
}

/**
 * Renders the menu "…" of actions as a popover, which needs no script. `of`: the name of the target. `key`: unique
 * among the page's menus.
 */
export function moreMenu(of: string, links: readonly MenuLink[], key = of): Html {
  if (links.length === 0) return html``;
  const id = `m${hash("sha256", key).slice(0, 8)}`;
  const items = links.map(({ address, text, isDanger, isApart, heading }) => {
    const apart = isApart ? html` class="apart"` : "";
    const above = heading === undefined ? "" : html`<li class="apart head">${heading}</li>`;
    return html`${above}<li${heading === undefined ? apart : ""}><a href="${address}"${isDanger ? html` class="bad"` : ""}>${text}</a></li>`;
  });
  return html`<button type="button" class="button bare" popovertarget="${id}" aria-label="More: ${of}">${icon("more")}</button><ul class="menu" id="${id}" popover>${items}</ul>`;
}
