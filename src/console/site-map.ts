import type { CommandContext } from "../commands/context.ts";
import { forEachKind, labelOf } from "../operation/check-kind.ts";
import { type Command, mayRun, type Role } from "../operation/command.ts";

export type ConsoleCommand = Command<CommandContext>;

/** A page of the console: a table that it opens with, and the commands of its families. */
export interface ConsolePage {
  path: string;
  title: string;
  families: readonly string[];
  /** Id of the command whose answer the page shows. */
  opens?: string;
  /** Opens with what is since today: a month of a large ledger takes longer to add up. */
  sinceToday?: true;
  /** It is about whoever looks at it: the person's name leads to it. */
  isOwn?: true;
  /** The order of its table until a person asks for another one. */
  sort?: string;
}

const named: readonly ConsolePage[] = [
  { path: "/", title: "Now", families: ["status", "find", "alarms", "upstreams"] },
  { path: "/verifications", title: "Verifications", families: ["ledger", "subjects"], opens: "ledger.list" },
  { path: "/routes", title: "Routes", families: ["routes"], opens: "routes.show" },
  { path: "/accounts", title: "Accounts", families: ["accounts"], opens: "accounts.list" },
  { path: "/keys", title: "Keys", families: ["keys"], opens: "keys.list" },
  { path: "/catalogue", title: "Catalogue", families: ["catalogue", "prices", "sources"], opens: "catalogue.history" },
  { path: "/books", title: "Books", families: ["books"], opens: "books.summary", sinceToday: true },
  { path: "/audit", title: "Audit", families: ["audit"], opens: "audit.tail", sort: "-occurred_at" },
  { path: "/people", title: "People", families: ["people"], opens: "people.list" },
  {
    ...{ path: "/you", title: "Your sign-in", families: ["passkeys", "sessions"] },
    ...{ opens: "sessions.list", isOwn: true },
  },
];

/** What the console can show and do: every command that a browser can run. */
export interface SiteMap {
  places: readonly ConsolePage[];
  /** A sentence on top of each page. */
  notice?: string;
  commands: ReadonlyMap<string, ConsoleCommand>;
}

/** A family without a page of its own gets one with its name. */
export function siteMap(all: readonly ConsoleCommand[]): SiteMap {
  const usable = all.filter(({ only, store }) => only !== "terminal" && store !== "own");
  const placed = new Set(named.flatMap((place) => place.families));
  const others = [...new Set(usable.map(familyOf))].filter((family) => !placed.has(family));
  const more = others.map((family): ConsolePage => {
    const ids = [family, `${family}.list`, `${family}.status`, `${family}.show`];
    // What reads a whole ledger waits for a person to ask.
    const list = usable.find(({ id, store }) => ids.includes(id) && store !== "untimed");
    const title = family.charAt(0).toUpperCase() + family.slice(1);
    return { path: `/${family}`, title, families: [family], ...(list && { opens: list.id }) };
  });
  return { places: [...named, ...more], commands: new Map(usable.map((command) => [command.id, command])) };
}

/** What a person of this role may do of it. */
export function siteFor(whole: SiteMap, role: Role): SiteMap {
  return { ...whole, commands: new Map([...whole.commands].filter(([, command]) => mayRun(role, command))) };
}

export function familyOf({ id }: Pick<Command<never>, "id">): string {
  return id.split(".")[0]!;
}

/** Where a command has its form. */
export function pathOf({ id }: Pick<Command<never>, "id">): string {
  return `/${id.replaceAll(".", "/")}`;
}

/** The page of a command with these texts filled in. */
export function addressOf(
  command: Pick<Command<never>, "id">,
  texts: Readonly<Record<string, string | undefined>>,
): string {
  return urlOf(pathOf(command), new URLSearchParams(), texts);
}

/** A path with the query and these changes; undefined removes a name. */
export function urlOf(
  path: string,
  query: URLSearchParams,
  change: Readonly<Record<string, string | undefined>>,
): string {
  const all = new URLSearchParams(query);
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined) all.delete(name);
    else all.set(name, value);
  }
  const text = all.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** The page that a command belongs to. */
export function placeOf({ places }: SiteMap, command: Command<never>): ConsolePage {
  return places.find(({ families }) => families.includes(familyOf(command)))!;
}

/** The commands of a page, but the one that it opens with. */
export function commandsAt({ commands }: SiteMap, place: ConsolePage): ConsoleCommand[] {
  return [...commands.values()].filter(
    (command) => place.families.includes(familyOf(command)) && command.id !== place.opens,
  );
}

/** The verb of a command as a label: "Create", or "Add endpoint" for one of a family within a family. */
export function verbOf({ id }: Pick<Command<never>, "id">): string {
  const name = commandNames[id];
  if (name !== undefined) return name;
  const [family = "", ...words] = id.split(".");
  const verb = words.pop() ?? family;
  const [things] = words;
  if (things === undefined) return labelFor(verb);
  return labelFor(verb === "list" ? things : `${verb} ${things.replace(/s$/, "")}`);
}

/** Commands whose ids give no words that people would use. */
export const commandNames: Readonly<Record<string, string>> = {
  ...{ "audit.tail": "Newest entries", "routes.explain": "Explanation" },
  ...{ "catalogue.map.list": "Matched codes", "catalogue.map.propose": "Match codes" },
  ...{ "catalogue.map.approve": "Approve matches", "catalogue.map.set": "Match a code by hand" },
};

const spelled: Readonly<Record<string, string>> = {
  ...{ csv: "CSV", id: "ID", url: "URL", sha256: "SHA-256", last4: "last 4 digits", gb: "GB" },
  ...{ upstream: "vendor", upstreams: "vendors" },
  ...forEachKind((kind) => kind, labelOf),
};

/** A name of the code as a label: `holds_from` is "Holds from". */
export function labelFor(name: string): string {
  const words = name.replaceAll(/[_-]/g, " ").replaceAll(/\b[a-z]+\d*\b/g, (word) => spelled[word] ?? word);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
