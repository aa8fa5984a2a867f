import { readFileSync } from "node:fs";
import type { Operation } from "../../operation/operation.ts";
import { openapi } from "../openapi/document.ts";
import { llmsText } from "../openapi/llms.ts";
import { postmanCollection } from "../openapi/postman.ts";
import { type Content, content } from "./content.ts";
import { errors } from "./failure-list.ts";
import { home } from "./home.ts";
import type { Html } from "./html.ts";
import { layout, type PagePath } from "./layout.ts";
import { sandboxPage } from "./sandbox.ts";
import { browserDocument, reference, scalarScript } from "./scalar.ts";
import { wrongPath } from "./wrong-path.ts";

export interface Site {
  operations: readonly Operation<never>[];
  version: string;
  /** Where the samples send their requests: scheme and host. */
  origin: string;
  /** As in the settings; empty if not configured. */
  publicUrl: string;
  pathPrefixes: readonly string[];
}

const closed = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const pageHeaders = { "Content-Security-Policy": `${closed}; script-src 'self'; style-src 'self'; img-src 'self'` };
/** The reference adds style elements and attributes, some of them without a nonce. */
const referenceHeaders = {
  "Content-Security-Policy": `${closed}; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'`,
};

/** Makes the content of each path. */
export const contents = {
  "/": (site) => page(site, "/", "Duba", home(site.operations, site.origin)),
  "/docs": (site) => page(site, "/docs", "Reference", reference(), referenceHeaders),
  "/docs/errors": (site) => page(site, "/docs/errors", "Failures", errors(site.operations, site.origin)),
  "/docs/sandbox": (site) => page(site, "/docs/sandbox", "Sandbox", sandboxPage()),
  "/openapi.json": (site) => json(`${JSON.stringify(documentOf(site), null, 2)}\n`),
  "/docs/reference.json": (site) =>
    json(JSON.stringify(browserDocument(documentOf(site), site.operations, site.origin))),
  "/postman.json": ({ operations, version, origin }) =>
    json(`${JSON.stringify(postmanCollection(operations, version, origin), null, 2)}\n`),
  "/llms.txt": ({ operations, version, origin }) =>
    content("text/plain; charset=utf-8", llmsText(operations, version, origin)),
  "/docs/scalar.js": async () => content("text/javascript; charset=utf-8", await scalarScript()),
  "/docs/frame.css": () => content("text/css; charset=utf-8", file("frame.css")),
  "/docs/copy.js": () => content("text/javascript; charset=utf-8", file("copy.js")),
  "/docs/content.css": () => content("text/css; charset=utf-8", file("content.css")),
  "/docs/icon.svg": () => content("image/svg+xml", file("icon.svg")),
  "/favicon.ico": () => content("image/x-icon", file("favicon.ico")),
} satisfies Record<string, (site: Site) => Content | Promise<Content>>;

export type SitePath = keyof typeof contents;

/** The page for a path that nothing has. */
export function wrongPathPage({ version }: Site) {
  const body = layout({ path: null, title: "No such page", version, main: wrongPath() });
  const length = String(Buffer.byteLength(body));
  const headers = { "Content-Type": "text/html; charset=utf-8", "Content-Length": length, Vary: "Accept" };
  return { headers: { ...headers, ...pageHeaders }, body };
}

function page({ version }: Site, path: PagePath, title: string, main: Html, headers = pageHeaders): Content {
  return content("text/html; charset=utf-8", layout({ path, title, version, main }), headers);
}

function json(text: string): Content {
  return content("application/json; charset=utf-8", text);
}

function documentOf({ operations, version, publicUrl, pathPrefixes }: Site) {
  return openapi(operations, version, publicUrl, pathPrefixes);
}

function file(name: string): Buffer {
  return readFileSync(new URL(`files/${name}`, import.meta.url));
}
