import { PullEnded, pulling } from "../catalogue-requests.ts";
import { type CatalogueLists, catalogueSource } from "../catalogue-source.ts";
import type { IdentityOutcome } from "../identity-upstream.ts";
import { catalogueReaders } from "./catalogue-wire.ts";
import { compatible } from "./index.ts";
import { Tokens } from "./tokens.ts";

const { name, settings } = compatible;

/**
 * The catalogue of any server that speaks Duba's own interface, another Duba included, at the prices that the account has
 * there: every request carries the account's token, those of open operations as well.
 */
export const compatibleCatalogue = catalogueSource({
  name,
  about: "Any server with this same interface, such as another Duba; run against Duba itself.",
  settings: { url: settings.url!, email: settings.email!, key: settings.key! },
  covers: ["data-providers", "data-bundles", "corporate-bundles", "cable-providers", "cable-products", "cable-add-ons"],
  open({ url, email, key }, { exchange, log }) {
    const tokens = new Tokens({ url, email, key, mustBeLive: false }, { exchange, log });
    const read = catalogueReaders(name, log);

    return pulling(exchange, async (requests, signal) => {
      const get: Get = async (what, path, query, read, alike = {}) => {
        const wanted = { what, url: `${url}/api/v2/${path}${queryOf(query)}`, read };
        const ask = (token: string) => requests.get({ ...wanted, headers: { authorization: `Bearer ${token}` } });
        const token = tokenOf(await tokens.token(signal));
        const entries = await ask(token).catch(async (error: unknown) => {
          if (!(error instanceof PullEnded && error.kind === "refused_credentials")) throw error;
          return ask(tokenOf(await tokens.token(signal, token)));
        });
        const isStrange = entries.some((entry) => Object.entries(alike).some(([name, value]) => entry[name] !== value));
        if (isStrange) throw new PullEnded("unreadable", `What it answered for ${what} belongs to something else.`);
        return entries;
      };
      return { kind: "whole", lists: await listsOf(get, read), leftOut: [] };
    });
  },
});

/** Asks for one list. The members of `alike` must be so in every entry. */
type Get = <Entry extends Record<string, string | number>>(
  what: string,
  path: string,
  query: Record<string, string>,
  read: (body: unknown) => Entry[] | undefined,
  alike?: Partial<Entry>,
) => Promise<Entry[]>;

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
