import type { IncomingMessage } from "node:http";
import Negotiator from "negotiator";
import { type Html, html } from "./html.ts";

/** Whether a browser asks for a page. Callers that accept any type get JSON. */
export function asksForPage({ method, headers }: IncomingMessage): boolean {
  if (method !== "GET" || !headers.accept?.includes("text/html")) return false;
  return new Negotiator({ headers }).mediaType(["application/json", "text/html"]) === "text/html";
}

export function wrongPath(): Html {
  return html`<h1>No such page</h1>
<p class="lead">Nothing has this path. Paths are exact: case and slashes count.</p>
<ul>
<li><a href="/">Start</a>: lines to copy, and every operation</li>
<li><a href="/docs">Reference</a>: every operation, with a form to send it</li>
<li><a href="/docs/errors#route_not_found"><code>route_not_found</code></a>: what a program gets here</li>
</ul>`;
}
