import { declaredCopier } from "../../declare/answers/answer-writer.ts";
import { NoSuchList, PullEnded, pulling } from "../catalogue-requests.ts";
import { type CatalogueLists, catalogueEntries, type Pull, type PulledList } from "../ports/catalogue-source.ts";
import type { VendorParts, VendorValues } from "../ports/vendor.ts";
import type { Token } from "../responses/access-tokens.ts";
import { catalogueReaders, type ListedChange, saysNoPath } from "./catalogue-wire.ts";
import { peer } from "./index.ts";
import { accountTokens } from "./tokens.ts";

/** About once a day we read all lists again, because a feed behind several instances may miss a change. */
const pullsBetweenWholeReads = 100;
/** A feed that tells nothing for so long may have broken off: then we read all lists too. Milliseconds. */
const longestQuiet = 3_600_000;
/** With more pages of changes it is faster to read the lists. */
const mostPages = 20;

/** The catalogue of a server, and the cursor from which to request the changes since. */
interface Copy {
  lists: Partial<CatalogueLists>;
  cursor: string;
  /** How often we updated it since we read the lists. */
  updates: number;
  /** When we last read the lists or the feed told a change, in milliseconds since 1970. */
  movedAt: number;
}

/** Pulls from the server with these settings. */
export function pullFrom({ url, email, key }: VendorValues<"url" | "email" | "key">, { http, log }: VendorParts): Pull {
  const tokenFor = accountTokens({ url, email, key, mustBeLive: false }, { http, log });
  const read = catalogueReaders(peer.name, log);
  let copy: Copy | undefined;

  return pulling(http, async (get, signal) => {
    const ask: Ask = async (what, path, query, read) => {
      const wanted = { what, url: `${url}/api/v2/${path}${queryOf(query)}`, read, saysNoPath };
      const askWith = (token: string) => get({ ...wanted, headers: { authorization: `Bearer ${token}` } });
      const token = tokenOf(await tokenFor(signal));
      return askWith(token).catch(async (error: unknown) => {
        if (!(error instanceof PullEnded && error.kind === "refused_credentials")) throw error;
        return askWith(tokenOf(await tokenFor(signal, token)));
      });
    };
    /** Undefined if the server has no feed, lost our place, or has another history after a restore. */
    const changes = (query: Record<string, string>) =>
      ask("the changes", "catalogue/changes", query, read.changes).catch((error: unknown) => {
        if (error instanceof PullEnded && ["incomplete", "unreadable"].includes(error.kind)) return undefined;
        throw error;
      });

    if (copy && copy.updates < pullsBetweenWholeReads && Date.now() - copy.movedAt < longestQuiet) {
      copy = await updated(copy, changes);
      if (copy) return whole(copy.lists);
    }
    const cursor = (await changes({}))?.next;
    const lists = await listsOf(ask, read);
    copy =
      cursor === undefined ? undefined : await updated({ lists, cursor, updates: 0, movedAt: Date.now() }, changes);
    if (cursor !== undefined && !copy)
      throw new PullEnded("incomplete", "The catalogue there was changed while it was read.");
    return whole(copy?.lists ?? lists);
  });
}

/** An older server does not have every list. */
function whole(lists: Partial<CatalogueLists>) {
  const lacks = (Object.keys(catalogueEntries) as PulledList[]).filter((list) => lists[list] === undefined);
  const leftOut = lacks.map((list) => `${list}: the server does not have this list, so it stays as it is.`);
  return { kind: "whole", lists, leftOut, ...(lacks.length > 0 && { lacks }) } as const;
}

type Readers = ReturnType<typeof catalogueReaders>;

/** Requests something with the account's token. */
type Ask = <Response>(
  what: string,
  path: string,
  query: Record<string, string>,
  read: (body: unknown) => Response | undefined,
) => Promise<Response>;

/** The copy with all changes since; undefined if we must read the lists again. */
async function updated(
  { lists, cursor, updates, movedAt: before }: Copy,
  pageOf: (query: Record<string, string>) => Promise<ReturnType<Readers["changes"]>>,
): Promise<Copy | undefined> {
  const changes: ListedChange[] = [];
  for (let count = 0; count < mostPages; count++) {
    const page = await pageOf({ after: cursor, limit: "1000" });
    // A change of the account's own prices does not say which entries it affects.
    if (!page || page.data.some(({ list }) => list === "prices")) return undefined;
    changes.push(...page.data);
    cursor = page.next;
    const movedAt = changes.length > 0 ? Date.now() : before;
    if (page.more) continue;
    const changed = withChanges(lists, changes);
    return changed && { lists: changed, cursor, updates: updates + 1, movedAt };
  }
  return undefined;
}

async function listsOf(ask: Ask, read: Readers): Promise<Partial<CatalogueLists>> {
  /** One list. Each of its entries must have the members of `alike`. */
  const list = async <Entry extends object>(
    what: string,
    path: string,
    query: Record<string, string>,
    read: (body: unknown) => Entry[] | undefined,
    alike: Partial<Entry> = {},
  ) => {
    const entries = await ask(what, path, query, read);
    const isOther = (entry: Entry) =>
      Object.entries(alike).some(([name, value]) => entry[name as keyof Entry] !== value);
    if (entries.some(isOther))
      throw new PullEnded("unreadable", `What it answered for ${what} belongs to something else.`);
    return entries;
  };
  const lists: Partial<CatalogueLists> = {};
  let lacking: NoSuchList | undefined;
  /** Reads a list unless the server does not have it. */
  const add = async <Name extends PulledList>(name: Name, entries: Promise<NonNullable<CatalogueLists[Name]>>) => {
    try {
      lists[name] = await entries;
    } catch (error) {
      if (!(error instanceof NoSuchList)) throw error;
      lacking = error;
    }
  };
  await add("data-providers", list("the data providers", "internet/data/fetch-providers", {}, read.billers));
  if (lists["data-providers"])
    await add(
      "data-bundles",
      each(lists["data-providers"], ({ type }) =>
        list(`the bundles of ${type}`, "internet/data/lookup", { provider: type }, read.bundles, { type }),
      ),
    );
  await add("corporate-bundles", list("the corporate bundles", "corporate-data/list", {}, read.corporateBundles));
  await add("cable-providers", list("the cable providers", "cable-tv/fetch-providers", {}, read.billers));
  if (lists["cable-providers"])
    await add(
      "cable-products",
      each(lists["cable-providers"], ({ type }) =>
        list(`the products of ${type}`, "cable-tv/fetch-billers", { type }, read.plans, { type }),
      ),
    );
  if (lists["cable-products"])
    await add(
      "cable-add-ons",
      each(lists["cable-products"], ({ type, code }) =>
        list(`the add-ons of ${type} ${code}`, "cable-tv/fetch-tv-add-ons", { type, productCode: code }, read.addOns, {
          type,
          product_code: code,
        }),
      ),
    );
  if (lacking && Object.keys(lists).length === 0) throw lacking;
  return lists;
}

async function each<Item, Entry>(items: readonly Item[], ask: (item: Item) => Promise<Entry[]>): Promise<Entry[]> {
  const lists: Entry[][] = [];
  for (const item of items) lists.push(await ask(item));
  return lists.flat();
}

function queryOf(query: Record<string, string>): string {
  const text = new URLSearchParams(query).toString();
  return text && `?${text}`;
}

/** The token, or the reason why there is none as the end of the pull. */
function tokenOf(token: Token): string {
  if ("token" in token) return token.token;
  const reason = token.outcome.state === "failed" ? token.outcome.reason : undefined;
  if (reason === "bad_credentials" || reason === "no_money")
    throw new PullEnded("refused_credentials", "It gives no access token for this e-mail address and key.");
  if (reason === "bad_settings") throw new PullEnded("unreadable", "It has no place that gives access tokens.");
  throw new PullEnded("unreachable", `It gives no access token now (${reason}).`);
}

type Entry = Readonly<Record<string, string | number | boolean | undefined>>;

/** The members that identify an entry of each list. */
const keys: Readonly<Record<PulledList, readonly string[]>> = {
  "data-providers": ["type"],
  "data-bundles": ["type", "code"],
  "corporate-bundles": ["code"],
  "cable-providers": ["type"],
  "cable-products": ["type", "code"],
  "cable-add-ons": ["type", "product_code", "add_on_product_code"],
};

/**
 * The lists after these changes, in their order. The order of the entries has no meaning afterwards. Undefined if one
 * of the changed lists is not there.
 */
function withChanges(
  lists: Partial<CatalogueLists>,
  changes: readonly ListedChange[],
): Partial<CatalogueLists> | undefined {
  const changed: Record<string, readonly Entry[]> = { ...lists };
  for (const [list, each] of Map.groupBy(changes, (change) => change.list)) {
    if (list === "prices") continue;
    const nameOf = (entry: Entry) => keys[list].map((member) => String(entry[member]).toLowerCase()).join(" ");
    const copy = declaredCopier(catalogueEntries[list]);
    if (changed[list] === undefined) return undefined;
    const entries = new Map(changed[list].map((entry) => [nameOf(entry), entry]));
    for (const { old, new: now } of each as Extract<ListedChange, { list: PulledList }>[]) {
      if (old) entries.delete(nameOf(old));
      if (now) entries.set(nameOf(now), copy(now) as Entry);
    }
    changed[list] = [...entries.values()];
  }
  return changed as Partial<CatalogueLists>;
}
