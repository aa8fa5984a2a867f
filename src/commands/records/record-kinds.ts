import { accountsLike } from "../../access/accounts/accounts.ts";
import { keyState } from "../../access/commands/list-keys-command.ts";
import { keysNamed } from "../../access/keys/keys.ts";
import { readApiKey } from "../../access/secrets.ts";
import { checkKinds, feeName } from "../../declare/check-kind.ts";
import type { Db } from "../../storage/tables.ts";
import { vendors, vendorTitle } from "../../vendors/registry.ts";

/**
 * Runs a command as the person who asks. Rows of its list, or its one row; none for what the person may not see, or
 * that is not there.
 */
export type RunList = (command: string, texts: Readonly<Record<string, string>>) => Promise<readonly FoundRow[]>;
export type FoundRow = Readonly<Record<string, unknown>>;

/** A kind of thing that people look up and open. */
export interface RecordKind {
  /** The command that shows one, and its member that names it. */
  show: string;
  by: string;
  /** Members of answers that name one. */
  members: readonly string[];
  /** What its names look like. */
  named: RegExp;
  /**
   * The head of its page: its name, its state, whom it is about and when, and which of these say nothing without their
   * label.
   */
  title: (row: FoundRow) => string;
  state?: string;
  meta: readonly string[];
  /** The member that says in a sentence what became of it. */
  says?: string;
  labelled?: readonly string[];
  /** The commands whose button is filled, the first that fits, and those whose plain buttons stand beside it. */
  primary?: readonly string[];
  beside?: readonly string[];
  /** Its facts by heading, at most seven in a panel. The others are folded. */
  panels?: Readonly<Record<string, readonly string[]>>;
  /** Commands whose first rows about it stand on its page, and one whose whole table does: their member is `by`. */
  latest?: readonly string[];
  below?: string;
  /** Commands of other families that are its tabs, though their member of this name could mean another thing. */
  tabs?: readonly string[];
  /** Kinds of entries of the audit trail, of which the newest about it stand below all else. */
  lately?: readonly string[];
  /** Nothing else has such names, so no other kind is asked for one. */
  isAlone?: true;
  /** Those that a text may mean, as rows that have the member `by`. */
  search: (text: string, ask: RunList, db: Db) => Promise<readonly FoundRow[]>;
}

/** By what people call them, in the order in which they are looked for. */
export type RecordKinds = Readonly<Record<string, RecordKind>>;

/**
 * What a feature adds to a kind: more commands with a filled button or beside it, rows that stand before the kind's
 * own, and the table below.
 */
export type RecordAddition = Pick<RecordKind, "primary" | "beside" | "latest" | "below" | "tabs" | "lately">;

/** A kind of a feature, before that of the core before which it is looked for; unless given, it comes last. */
export type AddedKind = RecordKind & { before?: string };

/** Kinds of a feature, and what it adds to those of the core. */
export type FeatureRecords = Readonly<Record<string, AddedKind | RecordAddition>>;

/** The kinds of the core and of features together. */
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

/** Newest first; more are cut off. */
export const mostFound = "20";
/** Of accounts and keys, oldest first. */
const mostNamed = 100;

export const same = (one: unknown, other: string) => String(one).toLowerCase() === other.toLowerCase();
/** Whether a text has the part, in whatever case. */
export const hasPart = (whole: unknown, part: string) =>
  part.length > 2 && String(whole).toLowerCase().includes(part.toLowerCase());

/**
 * Whether a text may be an id that a caller chose, or one of our requests. What is written like a person's name or day
 * of birth is not looked for, because a statement of the store would hold it.
 */
export function mayBeId(text: string): boolean {
  if (/^[a-p]{12}-[0-9a-z]+$/.test(text)) return true;
  return /\d/.test(text) && !/^\d{1,4}[-/.](?:\d{1,2}|[A-Za-z]{3,9})[-/.]\d{1,4}$/.test(text);
}

const revisionName = /^d?\d{1,9}$/;

/** What a reference of a verification looks like. */
export const referenceForm = /^[0-9A-Za-z]{5}[A-Za-z]\d{9}$/;

/** The kinds of the core. */
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
      // A whole key that somebody pastes, or as much of it as a log shows.
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
