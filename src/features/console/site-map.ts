import type { ConsolePage, FeaturePage, PageAddition } from "../../commands/console-page.ts";
import type { CommandContext } from "../../commands/context.ts";
import type { RecordKinds } from "../../commands/records/record-kinds.ts";
import { forEachKind, labelOf } from "../../declare/check-kind.ts";
import { type Command, mayRun, type Role, type ShownAs } from "../../declare/command.ts";

export type ConsoleCommand = Command<CommandContext>;

const named: readonly ConsolePage[] = [
  {
    path: "/",
    title: "Now",
    group: "Work",
    icon: "now",
    families: [],
    count: { of: "alarms", tells: "need a hand" },
  },
  {
    path: "/vendors",
    title: "Vendors",
    group: "Work",
    icon: "vendors",
    families: ["upstreams"],
    opens: "upstreams.status",
    lately: ["route.paused", "route.resumed", "route.ordered"],
  },
  {
    path: "/accounts",
    title: "Accounts",
    group: "Money",
    icon: "accounts",
    families: ["accounts"],
    opens: "accounts.list",
    primary: "accounts.create",
  },
  {
    path: "/catalogue",
    title: "Catalogue",
    group: "Money",
    icon: "catalogue",
    families: ["catalogue"],
    opens: "catalogue.history",
    count: { of: "held", tells: "changes wait" },
  },
  {
    path: "/keys",
    title: "Keys",
    group: "Settings",
    icon: "keys",
    families: ["keys"],
    opens: "keys.list",
    primary: "keys.create",
  },
  {
    path: "/people",
    title: "People",
    group: "Settings",
    icon: "people",
    families: ["people"],
    opens: "people.list",
    primary: "people.invite",
  },
  {
    path: "/you",
    title: "Your sign-in",
    group: "Settings",
    icon: "people",
    families: ["passkeys", "sessions"],
    opens: "sessions.list",
    primary: "passkeys.add",
    isOwn: true,
  },
];

/** The console's pages, commands and record kinds. */
export interface SiteMap {
  places: readonly ConsolePage[];
  /** A sentence above every page. */
  notice?: string;
  commands: ReadonlyMap<string, ConsoleCommand>;
  /** The kinds of records that the console can open. */
  records: RecordKinds;
}

/** Joins the core's pages with the features' additions and pages. */
function placesWith(ofFeatures: readonly (FeaturePage | PageAddition)[]): ConsolePage[] {
  const added = ofFeatures.filter((page) => "title" in page);
  const whole = named.map((page): ConsolePage => {
    const more = ofFeatures.filter((each) => !("title" in each) && each.path === page.path);
    const families = [page, ...more].flatMap((each) => each.families ?? []);
    const lately = [page, ...more].flatMap((each) => each.lately ?? []);
    const primary = more.find((each) => each.primary)?.primary;
    const opens = more.find((each) => each.opens)?.opens;
    return {
      ...page,
      families,
      ...(opens && { opens }),
      ...(primary && { primary }),
      ...(lately.length > 0 && { lately }),
    };
  });
  return [
    ...whole.flatMap((page) => [...added.filter(({ before }) => before === page.path), page]),
    ...added.filter(({ before }) => !named.some(({ path }) => path === before)),
  ];
}

/** Builds the site. A command family without a page gets one with its name. */
export function siteMap(
  all: readonly ConsoleCommand[],
  ofFeatures: readonly (FeaturePage | PageAddition)[],
  records: RecordKinds,
): SiteMap {
  const usable = all
    .filter(({ only, store }) => only !== "terminal" && store !== "own")
    .map(({ ...command }) => {
      if (command.page) command.columns = command.page;
      if (command.onPage) command.view = command.onPage;
      return command;
    });
  const own = placesWith(ofFeatures);
  const placed = new Set(own.flatMap((place) => place.families));
  const others = [...new Set(usable.map(familyOf))].filter((family) => !placed.has(family));
  const more = others.map((family): ConsolePage => {
    const ids = [family, `${family}.list`, `${family}.status`, `${family}.show`];
    // A command that reads the whole ledger must not run when its page opens.
    const list = usable.find(({ id, store }) => ids.includes(id) && store !== "untimed");
    const place = { path: `/${family}`, title: labelFor(family), group: "Settings", icon: "more" } as const;
    return { ...place, families: [family], ...(list && { opens: list.id }) };
  });
  return { places: [...own, ...more], commands: new Map(usable.map((command) => [command.id, command])), records };
}

/** Returns the part of the site that a role may use. */
export function siteFor(whole: SiteMap, role: Role): SiteMap {
  return { ...whole, commands: new Map([...whole.commands].filter(([, command]) => mayRun(role, command))) };
}

/** Returns the commands that are shown in this way, in the order of their pages. */
export function commandsShownAs(site: SiteMap, way: ShownAs): ConsoleCommand[] {
  const found = [...site.commands.values()].filter(({ shownAs }) => shownAs === way);
  const placeIn = (command: ConsoleCommand) => site.places.indexOf(placeOf(site, command));
  return found.toSorted((one, other) => placeIn(one) - placeIn(other));
}

export function familyOf({ id }: Pick<Command<never>, "id">): string {
  return id.split(".")[0]!;
}

/** Returns the path of a command's form. */
export function pathOf({ id }: Pick<Command<never>, "id">): string {
  return `/${id.replaceAll(".", "/")}`;
}

/** Returns the URL of a command's form with these texts. */
export function addressOf(
  command: Pick<Command<never>, "id">,
  texts: Readonly<Record<string, string | undefined>>,
): string {
  return urlOf(pathOf(command), new URLSearchParams(), texts);
}

/** Returns a URL with changes to its query; undefined removes a name. */
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

/** Returns the page of a command. */
export function placeOf({ places }: SiteMap, command: Command<never>): ConsolePage {
  return places.find(({ families }) => families.includes(familyOf(command)))!;
}

/** Returns a page's commands, without the one that fills its table. */
export function commandsAt({ commands }: SiteMap, place: ConsolePage): ConsoleCommand[] {
  return [...commands.values()].filter(
    (command) => place.families.includes(familyOf(command)) && command.id !== place.opens,
  );
}

/** Headings for some families in the menu of a page. */
const groupNames: Readonly<Record<string, string>> = { catalogue: "Products", prices: "Special prices" };

/** Returns the heading of a command in the page's menu. Mappings of source codes belong to the sources. */
export function menuGroupOf(command: Pick<Command<never>, "id">): string {
  const family = command.id.startsWith("catalogue.map.") ? "sources" : familyOf(command);
  return groupNames[family] ?? labelFor(family);
}

/** Whether a command creates a record. */
export function isMaker({ id }: Pick<Command<never>, "id">): boolean {
  return /\.(?:create|add|invite)$/.test(id);
}

/** Labels of members whose own name is no good label. */
const called: Readonly<Record<string, string>> = {
  request_reference: "Reference",
  created_at: "Time",
  answered_at: "Time",
  occurred_at: "Time",
  quoted_fee: "Fee",
  charge_left: "Left of the charge",
  cap_naira: "Monthly cap",
  cap_count: "Cap (number)",
  spent: "This month",
  spent_naira: "This month",
  spent_count: "This month (verifications)",
  limit_in_flight: "At one time",
  limit_negatives: "Most calls without a match",
  limit_verification: "Rate limit",
  last_used_at: "Last used",
  last_used_from: "Last used from",
  since: "From",
  until: "To",
  expires_at: "Ends",
  success: "Answered",
  attempts: "Asked",
  group: "Client",
  found_rate: "Found",
  failures: "Failed",
  p95: "95 %",
  cost_unknown: "May be billed",
  unpriced: "Without a price",
  cost_per_found: "Cost of a found person",
  place: "Order",
  subject: "Person",
  key_id: "Key",
  addresses: "Only from",
  scopes: "May",
  account: "Client",
  suspended_at: "Suspended",
  last_seen_at: "Last seen",
  passkeys: "Passkeys",
  actor: "By",
  event: "Event",
  endpoint: "Endpoint",
  days_left: "Lasts (days)",
  attempts_left: "Questions left",
  dry_run: "Check",
  for: "For",
  amount_differs: "Client said another amount",
  scope: "May",
  prepaid: "Prepaid",
};

const spelled: Readonly<Record<string, string>> = {
  csv: "CSV",
  id: "ID",
  url: "URL",
  sha256: "SHA-256",
  last4: "last 4 digits",
  gb: "GB",
  upstream: "vendor",
  upstreams: "vendors",
  ...forEachKind((kind) => kind, labelOf),
};

/** Returns the label of a member: "Holds from" for `holds_from`. */
export function labelFor(name: string): string {
  if (Object.hasOwn(called, name)) return called[name]!;
  const words = name.replaceAll(/[_-]/g, " ").replaceAll(/\b[a-z]+\d*\b/g, (word) => spelled[word] ?? word);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
