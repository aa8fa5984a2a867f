import { hash } from "node:crypto";
import { type Html, html } from "../../../http/pages/html.ts";

/** A link of a menu. */
export interface MenuLink {
  address: string;
  text: string;
  /** Id of its command. */
  id?: string;
  /** Nobody can undo it. */
  isDanger?: boolean;
  /** One of several about the same thing, such as a kind of check of a vendor. */
  isPart?: boolean;
  /** All of them at once. */
  isWhole?: boolean;
  /** A line stands above it, and this heading. */
  isApart?: boolean;
  heading?: string | undefined;
}

/** An icon of the sprite, hidden from screen readers. */
export function icon(name: string): Html {
  return html`<svg aria-hidden="true"><use href="/assets/icons.svg#${name}"/></svg>`;
}

/**
 * The menu "…" of actions: a popover, which needs no script. `of`: the name of what they act on. `key`: tells the menu
 * from the others of its page.
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
