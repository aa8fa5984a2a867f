import { namedGuides } from "../src/http/pages/guides.ts";
import { type Html, html } from "../src/http/pages/html.ts";
import { honesty } from "./openapi/document.ts";

const named = namedGuides.map(({ path, name }) => [path, name] as const);

/** The navigation of every page: the first page to read comes first, and the changes come last. */
const places: readonly (readonly [path: string, name: string])[] = [
  ...named.slice(0, 1),
  ["/docs", "Reference"],
  ...named.slice(1, -1),
  ["/docs/errors", "Failures"],
  ...named.slice(-1),
];

export interface Page {
  /** Null for a page that no link leads to. */
  path: string | null;
  title: string;
  version: string;
  main: Html;
}

/**
 * A whole page: title, navigation, main part and the footer of every page. The reference has its own main landmark and
 * styles.
 */
export function layout({ path, title, version, main }: Page): string {
  const current = (place: string) => (place === path ? html` aria-current="page"` : "");
  const links = places.map(([place, name]) => html`<li><a href="${place}"${current(place)}>${name}</a></li>`);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === "Duba" ? title : `${title} · Duba`}</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/base.css">
<link rel="stylesheet" href="/docs/docs.css">
${
  path === "/docs"
    ? html`<link rel="stylesheet" href="/docs/reference.css">
`
    : html`<script src="/docs/copy.js" defer></script>
`
}</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="bar"><nav aria-label="Pages"><a class="brand" href="/"${current("/")}>Duba</a><ul>${links}</ul></nav></header>
${path === "/docs" ? html`<div id="main" tabindex="-1">${main}</div>` : html`<main id="main" class="content" tabindex="-1">${main}</main>`}
<footer class="foot">
<p>${honesty.people}</p>
<p>${honesty.prices}</p>
<p>Duba ${version} · <a href="/openapi.json">openapi.json</a> · <a href="/healthz">healthz</a></p>
</footer>
</body>
</html>
`.text;
}
