import { type ConsolePage, groups } from "../../../commands/console-page.ts";
import { Html, html } from "../../../http/pages/html.ts";
import type { Session } from "../people/sessions.ts";
import { commandsShownAs, pathOf, type SiteMap } from "../site-map.ts";
import { icon } from "./menus.ts";

export interface FramedPage {
  title: string;
  main: Html;
  scripts?: readonly string[] | undefined;
  /** The address for a reload, if the browser's differs. */
  address?: string | undefined;
}

const mark = new Html(
  '<svg viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24" rx="6" fill="currentColor"/><path ' +
    'd="M7 6h4.5a6 6 0 0 1 0 12H7z" fill="none" stroke-width="2.2" stroke-linejoin="round"/><path d="M10 12.2l1.7 ' +
    '1.7 3-3.4" fill="none" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/></svg>',
);

/** Renders a page without navigation, for visitors who are not signed in. */
export function barePage({ title, main, scripts = [] }: FramedPage): string {
  return documentText(
    { title, scripts },
    html`<main id="main" class="bare" tabindex="-1"><p class="mark">${mark}Duba</p>${main}</main>`,
  );
}

/** A record in the search box: opened before, or found. */
export interface OpenedRecord {
  address: string;
  title: string;
  beside?: string;
}

export function openedLinks(records: readonly OpenedRecord[]): Html {
  return html`${records.map(({ address, title, beside = "" }) => html`<li><a href="${address}">${title} <span class="quiet">${beside}</span></a></li>`)}`;
}

/** Numbers in the menu by path. `isBad`: an alarm among them stops the service. */
export type MenuCounts = Readonly<Record<string, { many: number; isBad?: boolean }>>;

interface Frame {
  site: SiteMap;
  /** The page's place in the menu. */
  place: ConsolePage;
  session: Session;
  counts: MenuCounts;
  /** The records that the person opened last. */
  opened: readonly OpenedRecord[];
  /** The foot: when the data was read, and the time zone. */
  foot: Html;
}

/** Renders a whole page for a signed-in person. */
export function framedPage({ title, main, scripts = [], address }: FramedPage, frame: Frame): string {
  const { site, session, opened, foot } = frame;
  const { person, formToken } = session;
  const [finding] = commandsShownAs(site, "found");
  const own = site.places.find(({ isOwn }) => isOwn);
  // A phone shows this number beside the closed menu.
  const hands = frame.counts["/"]?.many ? frame.counts["/"] : "";
  const body = html`<header class="side">
<a class="skip" href="#main">Skip to content</a>
<a class="mark" href="/">${mark}Duba</a>
${
  finding
    ? html`<form class="box" role="search" method="post" action="${pathOf(finding)}"><input type="hidden" name="_token" value="${formToken}"><label class="visually-hidden" for="box">Find a reference, a client, a key</label>
<input id="box" type="search" name="text" placeholder="Find…" autocomplete="off" title="A reference, an id, a key, an e-mail, a name, the last four digits … Press / to come here."><kbd aria-hidden="true">/</kbd><ul class="menu" id="found" aria-label="Opened before, or found" aria-live="polite">${openedLinks(opened)}</ul></form>`
    : ""
}
<button type="button" class="button bare" popovertarget="menu" aria-label="Menu${hands && `, ${hands.many} need a hand`}">${icon("pages")}${hands && html`<span class="count ${hands.isBad ? "bad" : "warn"}">${String(hands.many)}</span>`}</button>
<nav id="menu" class="menu-links" aria-label="Pages" popover>${groups.map((group) => menuGroup(group, frame))}
<div class="who"><p><a href="${own!.path}" title="${own!.title}">${person.name || person.email}</a><span class="quiet">${person.role}</span></p>
<form method="post" action="/sign-out"><input type="hidden" name="_token" value="${formToken}"><button class="button">Sign out</button></form></div></nav>
</header>
<main id="main" tabindex="-1"${address === undefined ? "" : html` data-address="${address}"`}>${site.notice === undefined ? "" : html`<p class="notice">${site.notice}</p>`}${main}
<footer class="foot">${foot}</footer></main>`;
  return documentText({ title, scripts: ["console.js", ...scripts] }, body);
}

function countOf({ path, count }: ConsolePage, counts: MenuCounts): Html | string {
  const { many = 0, isBad = false } = counts[path] ?? {};
  if (!count || many === 0) return "";
  return html`<span class="count ${isBad ? "bad" : "warn"}">${many.toLocaleString("en")}<span class="visually-hidden"> ${count.tells}</span></span>`;
}

function menuGroup(group: ConsolePage["group"], { site, place, counts }: Frame): Html {
  const links = site.places
    .filter((each) => each.group === group && !each.isOwn)
    .map((each) => {
      const { path, title } = each;
      return html`<li><a href="${path}"${path === place.path ? html` aria-current="page"` : ""}>${icon(each.icon)}${title}${countOf(each, counts)}</a></li>`;
    });
  return html`<h2 id="g-${group}">${group}</h2><ul aria-labelledby="g-${group}">${links}</ul>`;
}

function documentText(page: Omit<FramedPage, "main">, body: Html): string {
  return `${documentHead({ ...page, title: `${page.title} · Duba` })}${body.text}${documentEnd}`;
}

/** Renders a document up to the start of its body. `look`: a class of the body. */
export function documentHead({ title, scripts = [] }: Omit<FramedPage, "main">, look = ""): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="htmx-config" content="includeIndicatorCSS:false, history:false">
<title>${title}</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/base.css">
<link rel="stylesheet" href="/assets/console.css">
${scripts.map((name) => html`<script src="/assets/${name}" defer></script>\n`)}</head>
<body${look === "" ? "" : html` class="${look}"`}>
`.text;
}

export const documentEnd = "\n</body>\n</html>\n";
