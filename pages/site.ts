import { readFileSync } from "node:fs";
import { type DownloadPath, downloadOf, downloads, guides, namedGuides, servedText } from "../src/http/pages/guides.ts";
import type { Html } from "../src/http/pages/html.ts";
import type { Site } from "../src/http/pages/index.ts";
import { wrongPath } from "../src/http/pages/wrong-path.ts";
import { type Content, content } from "../src/http/shell/content.ts";
import { errors } from "./failure-list.ts";
import { home } from "./home.ts";
import { layout } from "./layout.ts";
import { documentPart } from "./markdown.ts";
import { openapi } from "./openapi/document.ts";
import { llmsText } from "./openapi/llms.ts";
import { postmanCollection } from "./openapi/postman.ts";
import { browserDocument, referencePage, scalarScript } from "./scalar.ts";

const closed = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const pageHeaders = { "Content-Security-Policy": `${closed}; script-src 'self'; style-src 'self'; img-src 'self'` };
/** The reference adds style elements and attributes, some of them without a nonce. */
const referenceHeaders = {
  "Content-Security-Policy": `${closed}; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'`,
};

const textType = "text/plain; charset=utf-8";

/** Makes the content of each path. */
export const contents: Readonly<Record<string, (site: Site) => Content | Promise<Content>>> = {
  "/": (site) => page(site, "/", "Duba", home(site)),
  "/docs": (site) => page(site, "/docs", "Reference", referencePage(site.operations), referenceHeaders),
  "/docs/errors": (site) => page(site, "/docs/errors", "Failures", errors(site.operations, site.origin)),
  ...Object.fromEntries(Object.entries(guides).map(([path, { file }]) => [path, guide(path, file)])),
  ...Object.fromEntries((Object.keys(downloads) as DownloadPath[]).map((path) => [path, () => download(path)])),
  "/openapi.json": (site) => json(`${JSON.stringify(documentOf(site), null, 2)}\n`),
  "/docs/reference.json": (site) =>
    json(JSON.stringify(browserDocument(documentOf(site), site.operations, site.origin))),
  "/postman.json": ({ operations, version, origin }) =>
    json(`${JSON.stringify(postmanCollection(operations, version, origin), null, 2)}\n`),
  "/llms.txt": ({ operations, version, origin }) =>
    content(textType, llmsText(operations, namedGuides, version, origin)),
  "/docs/scalar.js": async () => content("text/javascript; charset=utf-8", await scalarScript()),
  ...Object.fromEntries(
    ["copy.js", "reference.js"].map((name) => [
      `/docs/${name}`,
      () => content("text/javascript; charset=utf-8", file(name)),
    ]),
  ),
  ...Object.fromEntries(
    ["base.css", "docs.css", "reference.css"].map((name) => [
      `/docs/${name}`,
      () => content("text/css; charset=utf-8", file(name)),
    ]),
  ),
  "/docs/icon.svg": () => content("image/svg+xml", file("icon.svg")),
  "/favicon.ico": () => content("image/x-icon", file("favicon.ico")),
};

/** The page for a path that nothing has. */
export function wrongPathPage({ version }: Site) {
  const body = layout({ path: null, title: "No such page", version, main: wrongPath() });
  const length = String(Buffer.byteLength(body));
  const headers = { "Content-Type": "text/html; charset=utf-8", "Content-Length": length, Vary: "Accept" };
  return { headers: { ...headers, ...pageHeaders }, body };
}

function guide(path: string, file: string) {
  return (site: Site) => {
    const { title, main } = documentPart(servedText(file), file, site.origin);
    return page(site, path, title, main);
  };
}

function download(path: DownloadPath): Content {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return content(textType, downloadOf(path), { "Content-Disposition": `attachment; filename="${name}"` });
}

function page({ version }: Site, path: string, title: string, main: Html, headers = pageHeaders): Content {
  return content("text/html; charset=utf-8", layout({ path, title, version, main }), headers);
}

function json(text: string): Content {
  return content("application/json; charset=utf-8", text);
}

function documentOf({ operations, version, publicUrl, pathPrefixes }: Site) {
  return openapi(operations, version, publicUrl, pathPrefixes);
}

function file(name: string): Buffer {
  return readFileSync(new URL(`../src/http/pages/files/${name}`, import.meta.url));
}
