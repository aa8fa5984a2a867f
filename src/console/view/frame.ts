import type { Session } from "../../access/people/sessions.ts";
import { type Html, html } from "../../http/pages/html.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import type { ConsolePage, SiteMap } from "../site-map.ts";

export interface FramedPage {
  title: string;
  main: Html;
  scripts?: readonly string[] | undefined;
  styles?: readonly string[] | undefined;
}

/** A whole page without navigation, for strangers. */
export function barePage({ title, main, scripts = [], styles = [] }: FramedPage): string {
  return documentText(
    { title, scripts, styles },
    html`<main id="main" class="bare" tabindex="-1"><p class="brand">Duba</p>${main}</main>`,
  );
}

/** A whole page for somebody who is signed in. `place`: where it belongs. `shownAt`: when what it shows was read. */
export function framedPage(
  { title, main, scripts = [], styles = [] }: FramedPage,
  { site, place, session, shownAt }: { site: SiteMap; place: ConsolePage; session: Session; shownAt: Html | undefined },
): string {
  const { person, formToken } = session;
  const own = site.places.find(({ isOwn }) => isOwn);
  const links = site.places.flatMap(({ path, title, isOwn }) =>
    isOwn ? [] : html`<li><a href="${path}"${path === place.path ? html` aria-current="page"` : ""}>${title}</a></li>`,
  );
  const body = html`<a class="skip" href="#main">Skip to content</a>
<header class="bar side">
<a class="brand" href="/">Duba</a>
<form class="box" role="search" method="post" action="/find"><input type="hidden" name="_token" value="${formToken}"><label class="visually-hidden" for="box">Find</label>
<input id="box" type="search" name="text" placeholder="Find…" autocomplete="off" title="A reference, a request id, a key, an e-mail, a name, the last four digits … Press / to come here. What you paste is looked up at once."></form>
<nav aria-label="Pages"><ul>${links}</ul></nav>
<div class="who"><p><strong><a href="${own!.path}" title="${own!.title}">${person.name || person.email}</a></strong><br><span class="quiet">${person.role}</span></p>
<form method="post" action="/sign-out"><input type="hidden" name="_token" value="${formToken}"><button class="plain">Sign out</button></form></div>
</header>
<main id="main" tabindex="-1">${site.notice === undefined ? "" : html`<p class="note">${site.notice}</p>`}${main}
${shownAt === undefined ? "" : html`<p class="quiet age">Read at ${shownAt}.</p>`}</main>`;
  return documentText({ title, scripts: ["console.js", ...scripts], styles }, body);
}

/** A time to the second. */
export function timeElement(milliseconds: number, zone: TimeZone): Html {
  return html`<time datetime="${new Date(milliseconds).toISOString()}">${zone.textOf(milliseconds, true)}</time>`;
}

function documentText(
  { title, scripts, styles }: { title: string; scripts: readonly string[]; styles: readonly string[] },
  body: Html,
): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="htmx-config" content="includeIndicatorCSS:false, history:false">
<title>${title} · Duba console</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/base.css">
<link rel="stylesheet" href="/assets/console.css">
${styles.map((name) => html`<link rel="stylesheet" href="/assets/${name}">\n`)}${scripts.map(
  (name) => html`<script src="/assets/${name}" defer></script>\n`,
)}</head>
<body>
${body}
</body>
</html>
`.text;
}
