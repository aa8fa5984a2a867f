import { PullEnded, pulling } from "../../catalogue-requests.ts";
import { type CatalogueLists, catalogueSource } from "../../ports/catalogue-source.ts";
import type { IdentityOutcome } from "../../ports/identity-upstream.ts";
import { withChanges } from "./catalogue-copy.ts";
import { catalogueReaders, type ListedChange } from "./catalogue-wire.ts";
import { peer } from "./index.ts";
import { Tokens } from "./tokens.ts";

const { name, settings } = peer;

/** Every so many pulls, about once a day, all lists are read: a feed behind several instances may miss a moment. */
const wholeEvery = 100;
/** Pages of changes that are read; with more of them the lists are read faster. */
const mostPages = 20;

/** What a server had, and from where on to ask what changed since. */
interface Copy {
  lists: CatalogueLists;
  cursor: string;
  /** How often it was brought up to date. */
  age: number;
}

/**
 * The catalogue of any server that speaks Duba's own interface, another Duba included, at the prices that the account has
 * there: every request carries the account's token, those of open operations as well. Where the server tells what changed
 * (`/catalogue/changes`), a process reads all lists at first, and then only the changes.
 */
export const peerCatalogue = catalogueSource({
  name,
  about: "Any server with this same interface, such as another Duba; run against Duba itself.",
  settings: { url: settings.url!, email: settings.email!, key: settings.key! },
  covers: ["data-providers", "data-bundles", "corporate-bundles", "cable-providers", "cable-products", "cable-add-ons"],
  open({ url, email, key }, { http, log }) {
    const tokens = new Tokens({ url, email, key, mustBeLive: false }, { http, log });
    const read = catalogueReaders(name, log);
    let copy: Copy | undefined;

    return pulling(http, async (requests, signal) => {
      const ask: Ask = async (what, path, query, read) => {
        const wanted = { what, url: `${url}/api/v2/${path}${queryOf(query)}`, read };
        const askWith = (token: string) => requests.get({ ...wanted, headers: { authorization: `Bearer ${token}` } });
        const token = tokenOf(await tokens.token(signal));
        return askWith(token).catch(async (error: unknown) => {
          if (!(error instanceof PullEnded && error.kind === "refused_credentials")) throw error;
          return askWith(tokenOf(await tokens.token(signal, token)));
        });
      };
      const feed = new Feed(ask, read);
      const isRecent = copy !== undefined && copy.age < wholeEvery;
      const changed = isRecent ? await feed.after(copy!) : undefined;
      if (changed) {
        copy = changed;
        return { kind: "whole", lists: changed.lists, leftOut: [] };
      }
      const cursor = await feed.begin();
      const lists = await listsOf(listing(ask), read);
      copy = cursor === undefined ? undefined : await feed.after({ lists, cursor, age: 0 });
      if (cursor !== undefined && !copy)
        throw new PullEnded("incomplete", "The catalogue there was changed while it was read.");
      return { kind: "whole", lists: copy?.lists ?? lists, leftOut: [] };
    });
  },
});

/** Asks for something with the account's token. */
type Ask = <Answer>(
  what: string,
  path: string,
  query: Record<string, string>,
  read: (body: unknown) => Answer | undefined,
) => Promise<Answer>;

/** What a server tells of changes. */
class Feed {
  readonly #ask: Ask;
  readonly #read: ReturnType<typeof catalogueReaders>["changes"];

  constructor(ask: Ask, { changes }: ReturnType<typeof catalogueReaders>) {
    this.#ask = ask;
    this.#read = changes;
  }

  /** The cursor to ask for changes with; undefined if the server has no change feed. */
  async begin(): Promise<string | undefined> {
    return (await this.#page({}))?.next;
  }

  /** The copy with all changes since; undefined if only the lists themselves can tell. */
  async after({ lists, cursor, age }: Copy): Promise<Copy | undefined> {
    const changes: ListedChange[] = [];
    for (let page = 0; page < mostPages; page++) {
      const found = await this.#page({ after: cursor, limit: "1000" });
      // Of the account's own prices it is not told which entries they change.
      if (!found || found.changes.some(({ list }) => list === "prices")) return undefined;
      changes.push(...found.changes);
      cursor = found.next;
      if (!found.more) return { lists: withChanges(lists, changes), cursor, age: age + 1 };
    }
    return undefined;
  }

  /** Undefined if there are none to be had: it has no such feed, forgot the place, or has another history after a restore. */
  async #page(query: Record<string, string>) {
    return this.#ask("the changes", "catalogue/changes", query, this.#read).catch((error: unknown) => {
      if (error instanceof PullEnded && (error.kind === "incomplete" || error.kind === "unreadable")) return undefined;
      throw error;
    });
  }
}

/** Asks for one list. The members of `alike` must be so in every entry. */
type Get = <Entry extends Record<string, string | number>>(
  what: string,
  path: string,
  query: Record<string, string>,
  read: (body: unknown) => Entry[] | undefined,
  alike?: Partial<Entry>,
) => Promise<Entry[]>;

function listing(ask: Ask): Get {
  return async (what, path, query, read, alike = {}) => {
    const entries = await ask(what, path, query, read);
    const isStrange = entries.some((entry) => Object.entries(alike).some(([name, value]) => entry[name] !== value));
    if (isStrange) throw new PullEnded("unreadable", `What it answered for ${what} belongs to something else.`);
    return entries;
  };
}

async function listsOf(get: Get, read: ReturnType<typeof catalogueReaders>): Promise<CatalogueLists> {
  const dataProviders = await get("the data providers", "internet/data/fetch-providers", {}, read.billers);
  const dataBundles = await each(dataProviders, ({ type }) =>
    get(`the bundles of ${type}`, "internet/data/lookup", { provider: type }, read.bundles, { type }),
  );
  const corporateBundles = await get("the corporate bundles", "corporate-data/list", {}, read.corporateBundles);
  const cableProviders = await get("the cable providers", "cable-tv/fetch-providers", {}, read.billers);
  const cableProducts = await each(cableProviders, ({ type }) =>
    get(`the products of ${type}`, "cable-tv/fetch-billers", { type }, read.plans, { type }),
  );
  const cableAddOns = await each(cableProducts, ({ type, code }) =>
    get(`the add-ons of ${type} ${code}`, "cable-tv/fetch-tv-add-ons", { type, productCode: code }, read.addOns, {
      type,
      product_code: code,
    }),
  );
  return {
    "data-providers": dataProviders,
    "data-bundles": dataBundles,
    "corporate-bundles": corporateBundles,
    "cable-providers": cableProviders,
    "cable-products": cableProducts,
    "cable-add-ons": cableAddOns,
  };
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

/** What keeps an account from a token, in the words of a pull. */
function tokenOf(token: { token: string } | { outcome: IdentityOutcome }): string {
  if ("token" in token) return token.token;
  const reason = token.outcome.kind === "unavailable" ? token.outcome.reason : undefined;
  if (reason === "bad_credentials" || reason === "no_money")
    throw new PullEnded("refused_credentials", "It gives no access token for this e-mail address and key.");
  if (reason === "bad_settings") throw new PullEnded("unreadable", "It has no place that gives access tokens.");
  throw new PullEnded("unreachable", `It gives no access token now (${reason}).`);
}
