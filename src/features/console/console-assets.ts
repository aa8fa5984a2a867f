import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Content, content } from "../../http/shell/content.ts";

const require = createRequire(import.meta.url);

const own = (name: string) => new URL(`static/${name}`, import.meta.url);
/** A file that the pages for integrators serve as well. */
const shared = (name: string) => new URL(`../../http/pages/files/${name}`, import.meta.url);
/** A library's file, by path, because the library may not export it. */
const ofLibrary = (name: string, path: string) => join(dirname(require.resolve(name)), path);

/** Library files that our package contains. */
export const packagedFiles: Readonly<Record<string, () => string>> = {
  "htmx.js": () => ofLibrary("htmx.org", "htmx.min.js"),
  "webauthn.js": () => ofLibrary("@simplewebauthn/browser", "../dist/bundle/index.umd.min.js"),
};

/** Files that pages load, by name. */
const files: Readonly<Record<string, () => URL | string>> = {
  "base.css": () => shared("base.css"),
  "console.css": () => own("console.css"),
  "console.js": () => own("console.js"),
  "passkey.js": () => own("passkey.js"),
  "icon.svg": () => shared("icon.svg"),
  "icons.svg": () => own("icons.svg"),
  ...Object.fromEntries(
    Object.entries(packagedFiles).map(([name, file]) => [name, () => (existsSync(own(name)) ? own(name) : file())]),
  ),
};

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

const loaded = new Map<string, Content>();

/** Returns a file, or undefined. Browsers revalidate it on every load. */
export function asset(name: string): Content | undefined {
  if (!Object.hasOwn(files, name)) return undefined;
  const file = loaded.get(name) ?? content(types[name.split(".").at(-1)!]!, readFileSync(files[name]!()));
  loaded.set(name, file);
  return file;
}
