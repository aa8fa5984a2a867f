import { LRUCache } from "lru-cache";
import type { ReadyAnswer } from "../../operation/ready-answer.ts";
import { foldCase, knownCodes, unknownCode } from "../model/codes.ts";
import type { CableProduct, ListName, Provider } from "../model/lists.ts";
import { type PriceList, priceListOf } from "../model/price-lists.ts";
import {
  type Group,
  groupIn,
  type Item,
  indexOf,
  type Snapshot,
  type Stamp,
  stampOf,
  stampOfAll,
} from "../model/snapshot.ts";
import { addOnsBody, type Bodies, plansBody } from "./bodies.ts";
import { type Freshness, noFreshness } from "./freshness.ts";
import type { OwnAnswers } from "./own-prices.ts";
import { Answer, type Description } from "./response.ts";
import type { BodySource } from "./written-body.ts";

/** Answers kept per revision: of requests in our own spelling, and of other spellings, which anybody can make up. */
const KEPT = 2000;
const KEPT_SPELLINGS = 500;

/** Lists that answer callers without a credential. */
const open: readonly ListName[] = ["data-bundles", "cable-providers", "cable-products", "cable-add-ons"];

/** What can be looked up. Never waits, and never touches the store. An account sees its own prices, if it has any. */
export interface LookUps {
  /** Bundles of a data provider, or of all. Throws `provider_not_found`. */
  dataBundles(provider: string | undefined, accountId?: string): ReadyAnswer;
  corporateBundles(): ReadyAnswer;
  dataProviders(): ReadyAnswer;
  cableProviders(): ReadyAnswer;
  /** Products of a cable provider. Throws `provider_not_found`. */
  cablePlans(type: string, accountId?: string): ReadyAnswer;
  /** Add-ons of a cable product. Throws `provider_not_found` and `product_not_found`. */
  addOns(type: string, productCode: string, accountId?: string): ReadyAnswer;
}

/** The answers to everything that can be asked of one revision, each written when it is first asked for. */
export class Answers implements LookUps {
  readonly #snapshot: Snapshot;
  readonly #bodies: Bodies;
  readonly #own: OwnAnswers;
  readonly #freshnessOf: (list: ListName) => Freshness;
  readonly #bundles = new LRUCache<string, ReadyAnswer>({ max: KEPT });
  readonly #plans = new LRUCache<string, ReadyAnswer>({ max: KEPT });
  readonly #addOns = new LRUCache<string, ReadyAnswer>({ max: KEPT });
  readonly #spelledAddOns = new LRUCache<string, ReadyAnswer>({ max: KEPT_SPELLINGS });
  #allBundles: ReadyAnswer | undefined;
  #corporateBundles: ReadyAnswer | undefined;
  #dataProviders: ReadyAnswer | undefined;
  #cableProviders: ReadyAnswer | undefined;

  constructor(
    snapshot: Snapshot,
    bodies: Bodies,
    own: OwnAnswers,
    freshnessOf: (list: ListName) => Freshness = () => noFreshness,
  ) {
    this.#snapshot = snapshot;
    this.#bodies = bodies;
    this.#own = own;
    this.#freshnessOf = freshnessOf;
  }

  /** How many answers are kept at the moment. */
  get kept(): number {
    return this.#bundles.size + this.#plans.size + this.#addOns.size + this.#spelledAddOns.size;
  }

  dataBundles(provider: string | undefined, accountId?: string): ReadyAnswer {
    const prices = this.#pricesOf(accountId);
    if (prices) return this.#ownBundles(provider, accountId!, prices);
    if (provider !== undefined) return this.#bundles.get(provider) ?? this.#foldedBundles(provider);
    this.#allBundles ??= this.#answer("data-bundles", this.#bodies.allBundles(this.#snapshot), this.#allBundlesStamp());
    return this.#allBundles;
  }

  corporateBundles(): ReadyAnswer {
    const group = groupIn(this.#snapshot, "corporate-bundles");
    this.#corporateBundles ??= this.#answerOf("corporate-bundles", "", this.#bodies.corporateBundles(group));
    return this.#corporateBundles;
  }

  dataProviders(): ReadyAnswer {
    const group = groupIn(this.#snapshot, "data-providers");
    this.#dataProviders ??= this.#answerOf("data-providers", "", this.#bodies.billers(group));
    return this.#dataProviders;
  }

  cableProviders(): ReadyAnswer {
    const group = groupIn(this.#snapshot, "cable-providers");
    this.#cableProviders ??= this.#answerOf("cable-providers", "", this.#bodies.billers(group));
    return this.#cableProviders;
  }

  cablePlans(type: string, accountId?: string): ReadyAnswer {
    const code = foldCase(type);
    const own = this.#pricesOf(accountId);
    const known = own ? undefined : this.#plans.get(code);
    if (known) return known;
    const { key } = this.#cableProvider(type);
    const group = groupIn(this.#snapshot, "cable-products", key);
    if (own)
      return this.#own.answer(
        `plans ${accountId} ${key}`,
        [group, own],
        () => this.#describeOwn("cable-products", stampOf(this.#snapshot, "cable-products", key), accountId!),
        () => (own.touches(key) ? plansBody(group, own) : this.#bodies.plans(group)),
      );
    const answer = this.#answerOf("cable-products", key, this.#bodies.plans(group));
    this.#plans.set(code, answer);
    return answer;
  }

  addOns(type: string, productCode: string, accountId?: string): ReadyAnswer {
    // Only what matches a code is ever kept, and no code holds a line break: two requests never share a key.
    const name = `${type}\n${productCode}`;
    const own = this.#pricesOf(accountId);
    const known = own ? undefined : (this.#addOns.get(name) ?? this.#spelledAddOns.get(name));
    if (known) return known;
    const product = this.#product(type, productCode);
    const group = groupIn(this.#snapshot, "cable-add-ons", product.key);
    if (own)
      return this.#own.answer(
        `add-ons ${accountId} ${name}`,
        [group, own],
        () => this.#describeOwn("cable-add-ons", stampOf(this.#snapshot, "cable-add-ons", product.key), accountId!),
        () => addOnsBody(group, type, productCode, own),
      );
    const listed = product.content as CableProduct;
    const asListed = type === listed.type && productCode === listed.code;
    const body = asListed ? this.#bodies.addOns(product, group) : addOnsBody(group, type, productCode);
    const answer = this.#answerOf("cable-add-ons", product.key, body);
    (asListed ? this.#addOns : this.#spelledAddOns).set(name, answer);
    return answer;
  }

  #pricesOf(accountId: string | undefined): PriceList | undefined {
    return accountId === undefined ? undefined : priceListOf(this.#snapshot, accountId);
  }

  #foldedBundles(given: string): ReadyAnswer {
    const code = foldCase(given);
    const known = this.#bundles.get(code);
    if (known) return known;
    const answer = this.#answerOf("data-bundles", code, this.#bodies.bundles(this.#bundleGroup(given)));
    this.#bundles.set(code, answer);
    return answer;
  }

  #ownBundles(given: string | undefined, accountId: string, prices: PriceList): ReadyAnswer {
    const snapshot = this.#snapshot;
    if (given === undefined) {
      const parts = [snapshot.groups["data-bundles"], groupIn(snapshot, "data-providers"), prices];
      return this.#own.answer(
        `bundles ${accountId}`,
        parts,
        () => this.#describeOwn("data-bundles", this.#allBundlesStamp(), accountId),
        () => ({
          etag: this.#bodies.ownEtag(snapshot, prices),
          size: this.#bodies.allBundles(snapshot).size,
          body: this.#bodies.allOwnBundles(snapshot, prices),
        }),
      );
    }
    const provider = foldCase(given);
    const group = this.#bundleGroup(given);
    return this.#own.answer(
      `bundles ${accountId} ${provider}`,
      [group, prices],
      () => this.#describeOwn("data-bundles", stampOf(snapshot, "data-bundles", provider), accountId),
      () => (prices.touches(provider) ? this.#bodies.ownBundles(group, prices) : this.#bodies.bundles(group)),
    );
  }

  #bundleGroup(given: string): Group {
    const providers = groupIn(this.#snapshot, "data-providers");
    const provider = indexOf(providers).get(foldCase(given));
    if (!provider) throw unknownCode("provider_not_found", "No data provider has", given, hintOf(providers));
    return groupIn(this.#snapshot, "data-bundles", provider.key);
  }

  #cableProvider(given: string): Item {
    const providers = groupIn(this.#snapshot, "cable-providers");
    const provider = indexOf(providers).get(foldCase(given));
    if (provider) return provider;
    throw unknownCode("provider_not_found", "No cable provider has", given, hintOf(providers));
  }

  #product(type: string, productCode: string): Item {
    const { key, content } = this.#cableProvider(type);
    const product = indexOf(groupIn(this.#snapshot, "cable-products", key)).get(`${key} ${foldCase(productCode)}`);
    if (product) return product;
    const hint = ` List its products with GET /api/v2/cable-tv/fetch-billers?type=${content.type}.`;
    throw unknownCode("product_not_found", `${content.type} has no product with`, productCode, hint);
  }

  /** The answer that lists the group of this key. */
  #answerOf(list: ListName, key: string, source: BodySource): ReadyAnswer {
    return this.#answer(list, source, stampOf(this.#snapshot, list, key));
  }

  #answer(list: ListName, source: BodySource, stamp: Stamp): ReadyAnswer {
    return new Answer(source, this.#describe(list, stamp));
  }

  #describe(list: ListName, { revision, publishedAt }: Stamp): Description {
    return { revision, publishedAt, open: open.includes(list), origin: this.#freshnessOf(list) };
  }

  /** Of an account that has, or had, prices of its own: its lists changed when these did. */
  #describeOwn(list: ListName, stamp: Stamp, accountId: string): Description {
    return this.#describe(list, stampOfAll([stamp, this.#snapshot.stamps.prices.get(accountId)!]));
  }

  /** The order of the providers is the order of their bundles. */
  #allBundlesStamp(): Stamp {
    return stampOfAll([stampOf(this.#snapshot, "data-bundles"), stampOf(this.#snapshot, "data-providers")]);
  }
}

function hintOf(providers: Group): string {
  return knownCodes(providers.map(({ content }) => content as Provider));
}
