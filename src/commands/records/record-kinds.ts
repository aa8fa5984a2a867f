import { accountsLike } from "../../access/accounts/accounts.ts";
import { keyState } from "../../access/commands/list-keys-command.ts";
import { keysNamed } from "../../access/keys/keys.ts";
import { readApiKey } from "../../access/secrets.ts";
import { checkKinds, feeName } from "../../declare/check-kind.ts";
import type { Db } from "../../storage/tables.ts";
import { vendors, vendorTitle } from "../../vendors/registry.ts";

/**
 * Runs a command with the role of the searching person. Returns the rows of the answer; none if the record is missing
 * or the role may not see it.
 */
export type RunList = (command: string, texts: Readonly<Record<string, string>>) => Promise<readonly FoundRow[]>;
export type FoundRow = Readonly<Record<string, unknown>>;

/** A kind of record that the console can search and open. */
export interface RecordKind {
  /** Id of the command that shows a record, and the name of its member for the record's id. */
  show: string;
  by: string;
  /** Members of any answer that hold an id of this kind. */
  members: readonly string[];
  /** The pattern of the ids. */
  named: RegExp;
  /**
   * The head of a record's page: title, state member, further members, and (`labelled`) those that need their label
   * beside them.
   */
  title: (row: FoundRow) => string;
  state?: string;
  meta: readonly string[];
  /** The member with a sentence about the outcome. */
  says?: string;
  labelled?: readonly string[];
  /** Ids of commands. The page fills the button of the first `primary` that fits; `beside` get plain buttons. */
  primary?: readonly string[];
  beside?: readonly string[];
  /** Members by heading, at most seven in a panel. The page folds all others. */
  panels?: Readonly<Record<string, readonly string[]>>;
  /**
   * Ids of commands that list rows of the record: `latest` shows the first rows, `below` the whole table. Both take the
   * record's id as their member `by`.
   */
  latest?: readonly string[];
  below?: string;
  /**
   * Ids of commands of other families that become tabs of the page, although their member `by` can mean something else.
   */
  tabs?: readonly string[];
  /** Audit kinds. The end of the page lists the newest entries about the record. */
  lately?: readonly string[];
  /** No other kind has ids of this pattern, so a search asks only this kind. */
  isAlone?: true;
  /** Finds records by a search text. Each row has the member `by`. */
  search: (text: string, ask: RunList, db: Db) => Promise<readonly FoundRow[]>;
}

/** Kinds by their names for people, in the order in which a search asks them. */
export type RecordKinds = Readonly<Record<string, RecordKind>>;

/** What a feature adds to a kind of the core. Its `latest` rows come before the core's. */
export type RecordAddition = Pick<RecordKind, "primary" | "beside" | "latest" | "below" | "tabs" | "lately">;

/** A kind of a feature. `before`: the core kind that a search asks next. Without it, the kind comes last. */
export type AddedKind = RecordKind & { before?: string };

/** Kinds of a feature, and additions to the core's kinds. */
export type FeatureRecords = Readonly<Record<string, AddedKind | RecordAddition>>;

/** Joins the kinds of the core and of all features. */
export function recordsWith(ofFeatures: readonly FeatureRecords[]): RecordKinds {
  const given = ofFeatures.flatMap((records) => Object.entries(records));
  const added = given.flatMap(([name, kind]) => ("show" in kind ? [{ name, kind }] : []));
  const all: { name: string; kind: RecordKind }[] = [
    ...Object.entries(coreRecords).flatMap(([name, kind]) => [
      ...added.filter((each) => each.kind.before === name),
      { name, kind },
    ]),
    ...added.filter(({ kind }) => !Object.hasOwn(coreRecords, kind.before ?? "")),
  ];
  const more = given.flatMap(([name, kind]) => ("show" in kind ? [] : [{ name, kind }]));
  return Object.fromEntries(
    all.map(({ name, kind }) => [name, more.filter((each) => each.name === name).reduce(withMore, kind)]),
  );
}

function withMore(kind: RecordKind, { kind: added }: { kind: RecordAddition }): RecordKind {
  const whole = { ...kind, ...added };
  if (kind.primary || added.primary) whole.primary = [...(kind.primary ?? []), ...(added.primary ?? [])];
  if (kind.beside || added.beside) whole.beside = [...(kind.beside ?? []), ...(added.beside ?? [])];
  if (kind.latest || added.latest) whole.latest = [...(added.latest ?? []), ...(kind.latest ?? [])];
  if (kind.lately || added.lately) whole.lately = [...(kind.lately ?? []), ...(added.lately ?? [])];
  return whole;
}

/** The most verifications that a search returns for each member that it compares: the newest ones. */
export const mostFound = "20";
/** The most accounts or keys that a search returns. They are listed oldest first. */
const mostNamed = 100;

export const same = (one: unknown, other: string) => String(one).toLowerCase() === other.toLowerCase();
/** Whether a text contains the part, in upper or lower case. False for a part of one or two characters. */
export const hasPart = (whole: unknown, part: string) =>
  part.length > 2 && String(whole).toLowerCase().includes(part.toLowerCase());

/**
 * Whether a text may be one of our request ids, or an id that a caller chose. False for text like a name or a birth
 * date: we keep personal data out of SQL.
 */
export function mayBeId(text: string): boolean {
  if (/^[a-p]{12}-[0-9a-z]+$/.test(text)) return true;
  return /\d/.test(text) && !/^\d{1,4}[-/.](?:\d{1,2}|[A-Za-z]{3,9})[-/.]\d{1,4}$/.test(text);
}

const revisionName = /^d?\d{1,9}$/;

/** The pattern of a verification's reference. */
export const referenceForm = /^[0-9A-Za-z]{5}[A-Za-z]\d{9}$/;

export const coreRecords: RecordKinds = {
  account: {
    show: "accounts.show",
    by: "account",
    latest: ["keys.list"],
    title: ({ name }) => String(name),
    state: "state",
    meta: ["email", "created_at", "last_used_at", "id"],
    labelled: ["created_at", "last_used_at"],
    primary: ["accounts.resume", "accounts.top-up", "accounts.change"],
    beside: ["accounts.change", "keys.create"],
    panels: {
      Terms: [...checkKinds.map(feeName), "prepaid", "cap_naira", "cap_count", "answers"],
      Limits: ["limit_verification", "limit_in_flight", "limit_negatives"],
      Statements: ["address", "tax_number"],
    },
    members: ["account", "account_id"],
    named: /^acc_|@/,
    search: async (text, _, db) =>
      (text.length > 2 ? await accountsLike(db, text, mostNamed) : []).map(
        ({ email, name, created_at, suspended_at }) => ({
          account: email,
          about: name,
          at: created_at,
          state: suspended_at === null ? "active" : "suspended",
        }),
      ),
  },
  key: {
    show: "keys.show",
    by: "id",
    title: ({ label, mode }) => String(label || `A ${mode} key`),
    state: "state",
    meta: ["account", "mode", "expires_at", "last_used_at", "id"],
    labelled: ["expires_at", "last_used_at"],
    beside: ["keys.change", "keys.roll"],
    members: ["key_id"],
    named: /^[0-9A-Za-z]{12}$|^duba_(?:test|live)_/,
    search: async (text, _, db) => {
      // The person may paste a whole key, or the shortened key from a log line.
      const id = readApiKey(text)?.id ?? /^duba_(?:test|live)_([0-9A-Za-z]{12})/.exec(text)?.[1] ?? text;
      return (await keysNamed(db, id, mostNamed)).map(({ email, ...key }) => ({
        id: key.id,
        about: `${key.label || key.mode} of ${email}`,
        at: key.created_at,
        state: keyState(key),
      }));
    },
  },
  vendor: {
    show: "upstreams.show",
    by: "vendor",
    title: ({ name }) => vendorTitle(String(name)),
    state: "state",
    meta: ["about"],
    says: "asked",
    panels: { Missing: ["missing"] },
    lately: ["route.paused", "route.resumed", "route.ordered"],
    members: ["vendor", "upstream"],
    named: /^(?!sandbox$)[a-z]/,
    search: async (text) =>
      vendors.filter(({ name }) => same(name, text)).map(({ name, about }) => ({ vendor: name, about })),
  },
  revision: {
    show: "catalogue.show",
    by: "revision",
    title: ({ revision, draft }) => (draft === undefined ? `Revision ${revision}` : `Change ${draft}`),
    state: "state",
    meta: ["author", "published_at", "created_at", "holds_from", "source", "note"],
    labelled: ["holds_from"],
    primary: ["catalogue.approve"],
    beside: ["catalogue.reject"],
    members: ["revision", "draft"],
    named: revisionName,
    search: async (text, ask) =>
      revisionName.test(text)
        ? (await ask("catalogue.show", { revision: text })).map((row) => ({
            revision: text,
            about: row.note || row.source,
            at: row.published_at ?? row.created_at,
            state: row.state ?? "published",
          }))
        : [],
  },
};
