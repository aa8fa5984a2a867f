import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";

/**
 * A page that is one of the repository's own documents. `name` is its name in the navigation. A page without a name is
 * reached by links from other pages.
 */
export interface Guide {
  file: string;
  name?: string;
  /** The subject of the page, for lists of the pages. */
  about?: string;
}

export const guides = {
  "/docs/start": { file: "docs/start.md", name: "Start", about: "from a key to live verifications, in four steps" },
  "/docs/credentials": {
    file: "docs/credentials.md",
    name: "Credentials",
    about: "keys, test and live, and access tokens",
  },
  "/docs/idempotency": {
    file: "docs/idempotency.md",
    name: "Idempotency",
    about: "how a verification is charged once, whatever the network does",
  },
  "/docs/names": {
    file: "docs/names.md",
    name: "Names",
    about: "what a name or a birth date that you send has in common with the record, by rules",
  },
  "/docs/events": {
    file: "docs/events.md",
    name: "Events",
    about: "webhooks and the list of events: types, delivery, and how to verify a signature",
  },
  "/docs/clients": {
    file: "docs/clients.md",
    name: "Clients",
    about: "clients for TypeScript, PHP and Python to download",
  },
  "/docs/clients/typescript": { file: "client/README.md" },
  "/docs/clients/php": { file: "docs/clients/php.md" },
  "/docs/clients/python": { file: "docs/clients/python.md" },
  "/docs/clients/curl": { file: "docs/clients/curl.md" },
  "/docs/limits": {
    file: "docs/limits.md",
    name: "Limits",
    about: "how often you may ask, and how long an answer takes",
  },
  "/docs/sandbox": {
    file: "docs/sandbox.md",
    name: "Sandbox",
    about: "numbers with a fixed result, and scenarios of look-ups",
  },
  "/docs/changes": {
    file: "docs/changes.md",
    name: "Changes",
    about: "what each version gave to callers, newest first, and since when each operation is there",
  },
} as const satisfies Record<string, Guide>;

export type GuidePath = keyof typeof guides;

/** The guides of the navigation. */
export const namedGuides = (Object.entries(guides) as [string, Guide][]).flatMap(([path, { name, about }]) =>
  name && about ? [{ path, name, about }] : [],
);

const typedClient = ["outcome", "options", "call", "verified-event", "event-feed", "duba"].map(
  (name) => `client/src/${name}.ts`,
);

/** Clients in one file each, to copy into a project. */
export const downloads = {
  "/docs/clients/duba.ts": typedClient,
  "/docs/clients/duba.mjs": typedClient,
  "/docs/clients/duba.cjs": typedClient,
  "/docs/clients/duba.php": ["docs/clients/duba.php"],
  "/docs/clients/duba.py": ["docs/clients/duba.py"],
} as const satisfies Record<string, readonly string[]>;

export type DownloadPath = keyof typeof downloads;

/** Every source file of these pages. Packaging includes these files. */
export const servedFiles: readonly string[] = [
  ...Object.values(guides).map(({ file }) => file),
  ...new Set(Object.values(downloads).flat()),
];

export function servedText(file: string): string {
  return readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8");
}

/** The exports of the typed client, apart from types. The client's modules export more to each other. */
const exported = ["DubaFailure", "verifiedEvent", "EventFeed", "Duba"];

/** Returns the text of a download. Joins the modules of the typed client, which import only each other, into one. */
export function downloadOf(path: DownloadPath): string {
  const joined = downloads[path].map((file) => servedText(file)).join("\n");
  if (!path.endsWith("s")) return joined;
  const whole = joined
    .replaceAll(/^(?:import|export (?:type )?\{)[^;]*;\n/gm, "")
    .replaceAll(/^export ((?:async )?(?:class|function) (\w+))/gm, (line, declared: string, name: string) =>
      exported.includes(name) && !path.endsWith(".cjs") ? line : declared,
    );
  const withHeading = `// The client of Duba in one file. Copy it into your project.\n${whole}`;
  if (path.endsWith(".ts")) return withHeading;
  return path.endsWith(".mjs")
    ? withoutTypes(withHeading)
    : `"use strict";\n${withoutTypes(withHeading)}\nmodule.exports = { ${exported.join(", ")} };\n`;
}

/** Turns TypeScript into JavaScript. */
function withoutTypes(text: string): string {
  const { emitWarning } = process;
  // Node would print a warning about this experimental function, and the warning would be in the service's log.
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(text)
      .replaceAll(/[ \t]+$/gm, "")
      .replaceAll(/\n{3,}/g, "\n\n");
  } finally {
    process.emitWarning = emitWarning;
  }
}
