import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { ConsoleReply } from "./console-response.ts";

const require = createRequire(import.meta.url);

/** A file of a package, which may not export it. */
const packaged = (name: string, path: string) => join(dirname(require.resolve(name)), path);
const own = (name: string) => new URL(`static/${name}`, import.meta.url);

/** The files that pages load, by name. */
const files: Readonly<Record<string, () => URL | string>> = {
  "console.css": () => own("console.css"),
  "console.js": () => own("console.js"),
  "passkey.js": () => own("passkey.js"),
  "charts.js": () => own("charts.js"),
  "icon.svg": () => new URL("../http/pages/files/icon.svg", import.meta.url),
  "htmx.js": () => packaged("htmx.org", "htmx.min.js"),
  "webauthn.js": () => packaged("@simplewebauthn/browser", "../dist/bundle/index.umd.min.js"),
  "uplot.js": () => packaged("uplot", "uPlot.iife.min.js"),
  "uplot.css": () => packaged("uplot", "uPlot.min.css"),
};

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

const loaded = new Map<string, { bytes: Buffer; tag: string }>();

/** A file of the pages, or undefined. Browsers ask each time whether it is still the same. */
export function asset(name: string, knownTag: string | undefined): ConsoleReply | undefined {
  if (!Object.hasOwn(files, name)) return undefined;
  let file = loaded.get(name);
  if (!file) {
    const bytes = readFileSync(files[name]!());
    file = { bytes, tag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"` };
    loaded.set(name, file);
  }
  const headers = { "Content-Type": types[name.split(".").at(-1)!]!, "Cache-Control": "no-cache", ETag: file.tag };
  return knownTag === file.tag ? { status: 304, headers, body: "" } : { status: 200, headers, body: file.bytes };
}
