import { declaredCopier } from "../../../../declare/answers/answer-writer.ts";
import { type CatalogueLists, declaredList, type ListName, listNames } from "../../../../lists/index.ts";
import { peer } from "../../../../vendors/peer/index.ts";
import { accountTokens } from "../../../../vendors/peer/tokens.ts";
import type { VendorParts, VendorValues } from "../../../../vendors/ports/vendor.ts";
import type { Token } from "../../../../vendors/responses/access-tokens.ts";
import { NoSuchList, PullEnded, pulling } from "../catalogue-requests.ts";
import type { Pull } from "../catalogue-source.ts";
import { catalogueReaders, type Entry, type GivenLists, type ListedChange, saysNoPath } from "./wire.ts";

/** About once a day we read all lists again, because a feed behind several instances may miss a change. */
const pullsBetweenWholeReads = 100;
/** Milliseconds. A feed without changes for this long may be broken, so all lists are read then. */
const longestQuiet = 3_600_000;
/** With more pages of changes, reading the lists is faster. */
const mostPages = 20;

/** The catalogue of a server, and the cursor from which to request the changes since. */
interface Copy {
  lists: GivenLists;
  cursor: string;
  /** The number of updates by changes since the lists were read. */
  updates: number;
  /** The time of the last read of the lists or of the last change in the feed, in milliseconds since 1970. */
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
    /**
     * Requests changes. Undefined if the server has no feed, no longer knows the cursor, or has another history after a
     * restore.
     */
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

/** Makes a pull of these lists. Some lists may be missing, because an older server does not have every list. */
function whole(lists: GivenLists) {
  const lacks = listNames.filter((list) => lists[list] === undefined);
  const leftOut = lacks.map((list) => `${list}: the server does not have this list, so it stays as it is.`);
  return {
    kind: "whole",
    lists: lists as unknown as Partial<CatalogueLists>,
    leftOut,
    ...(lacks.length > 0 && { lacks }),
  } as const;
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

/** Requests each list that the server has: once, or once for each entry of its parents' list. */
async function listsOf(ask: Ask, read: Readers): Promise<GivenLists> {
  const lists: GivenLists = {};
  let lacking: NoSuchList | undefined;
  for (const name of listNames) {
    const { parent } = declaredList(name);
    const parents = parent === undefined ? [undefined] : lists[parent as ListName];
    try {
      if (parents) lists[name] = await entriesBelow(parents, (above) => entriesOf(name, above, ask, read));
    } catch (error) {
      if (!(error instanceof NoSuchList)) throw error;
      lacking = error;
    }
  }
  if (lacking && Object.keys(lists).length === 0) throw lacking;
  return lists;
}

async function entriesBelow(
  parents: readonly (Entry | undefined)[],
  ask: (parent: Entry | undefined) => Promise<Entry[]>,
): Promise<Entry[]> {
  const entries: Entry[][] = [];
  for (const parent of parents) entries.push(await ask(parent));
  return entries.flat();
}

/** The entries of a list, under one parent if the list has parents. Each entry must name that parent. */
async function entriesOf(name: ListName, above: Entry | undefined, ask: Ask, read: Readers): Promise<Entry[]> {
  const { many, key, parent, served } = declaredList(name);
  const codes = above ? declaredList(parent as ListName).key.map((member) => above[member]!) : [];
  const query = Object.entries(served.asks ?? {}).map(([parameter, member]) => [parameter, String(above?.[member])]);
  const what = `the ${[many, ...(above ? ["of", ...codes] : [])].join(" ")}`;
  const entries = await ask(what, served.path, Object.fromEntries(query), read.entriesOf[name]);
  if (entries.some((entry) => codes.some((code, at) => entry[key[at]!] !== code)))
    throw new PullEnded("unreadable", `What it answered for ${what} belongs to something else.`);
  return entries;
}

function queryOf(query: Record<string, string>): string {
  const text = new URLSearchParams(query).toString();
  return text && `?${text}`;
}

/** Returns the token. If there is none, throws the reason, which ends the pull. */
function tokenOf(token: Token): string {
  if ("token" in token) return token.token;
  const reason = token.outcome.state === "failed" ? token.outcome.reason : undefined;
  if (reason === "bad_credentials" || reason === "no_money")
    throw new PullEnded("refused_credentials", "It gives no access token for this e-mail address and key.");
  if (reason === "bad_settings") throw new PullEnded("unreadable", "It has no place that gives access tokens.");
  throw new PullEnded("unreachable", `It gives no access token now (${reason}).`);
}

/**
 * The lists after these changes, applied in order. The order of the entries has no meaning afterwards. Undefined for a
 * change of a missing list.
 */
function withChanges(lists: GivenLists, changes: readonly ListedChange[]): GivenLists | undefined {
  const changed: GivenLists = { ...lists };
  for (const [list, each] of Map.groupBy(changes, (change) => change.list)) {
    if (list === "prices") continue;
    const { key, sourceEntry } = declaredList(list);
    const nameOf = (entry: Entry) => key.map((member) => String(entry[member]).toLowerCase()).join(" ");
    const copy = declaredCopier(sourceEntry);
    if (changed[list] === undefined) return undefined;
    const entries = new Map(changed[list].map((entry) => [nameOf(entry), entry]));
    for (const { old, new: now } of each as Extract<ListedChange, { list: ListName }>[]) {
      if (old) entries.delete(nameOf(old));
      if (now) entries.set(nameOf(now), copy(now) as Entry);
    }
    changed[list] = [...entries.values()];
  }
  return changed;
}
