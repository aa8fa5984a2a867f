import { LRUCache } from "lru-cache";
import Type from "typebox";
import { answerWriter } from "../contract/answer.ts";
import { nairaOf } from "../contract/money.ts";
import type { ReadyAnswer } from "../contract/ready.ts";
import type { Catalogue } from "./catalogue.ts";
import { byCode, fold, knownCodes, unknownCode } from "./codes.ts";
import { DatedAnswer } from "./dated-answer.ts";
import { AddOnAnswer, BillerAnswer, CablePlanAnswer, CorporateBundleAnswer, DataBundle } from "./shapes.ts";
import type { CableProduct, CableProvider, DataProvider, Snapshot } from "./snapshot.ts";
import { etagOf, WrittenAnswer } from "./written-answer.ts";

/** Answers kept per revision: of requests in our own spelling, and of other spellings, which anybody can make up. */
const KEPT = 2000;
const KEPT_SPELLINGS = 500;

const writeBundles = answerWriter(Type.Array(DataBundle));
const writeCorporateBundles = answerWriter(CorporateBundleAnswer);
const writeBillers = answerWriter(BillerAnswer);
const writePlans = answerWriter(CablePlanAnswer);
const writeAddOns = answerWriter(AddOnAnswer);

const BUNDLES_BEGIN = Buffer.from('{"success":true,"data":{"status":1,"error":false,"data":[');
const BUNDLES_END = Buffer.from('],"date":"');
const DATE_END = Buffer.from('","message":"Data lookup successful"}}');
const COMMA = Buffer.from(",");

/** The answers to everything that can be asked of one revision, each written when it is first asked for. */
export class Answers implements Catalogue {
  readonly #snapshot: Snapshot;
  readonly #now: () => number;
  readonly #dataProviders: ReadonlyMap<string, DataProvider>;
  readonly #cableProviders: ReadonlyMap<string, CableProvider>;
  /** By folded cable provider code, then by folded product code. */
  readonly #products: ReadonlyMap<string, ReadonlyMap<string, CableProduct>>;
  /** The bundles of a provider as JSON, without the brackets. */
  readonly #fragments = new Map<DataProvider, Buffer>();

  readonly #bundles = new LRUCache<string, ReadyAnswer>({ max: KEPT });
  readonly #plans = new LRUCache<string, ReadyAnswer>({ max: KEPT });
  readonly #addOns = new LRUCache<string, ReadyAnswer>({ max: KEPT });
  readonly #spelledAddOns = new LRUCache<string, ReadyAnswer>({ max: KEPT_SPELLINGS });
  #allBundles: ReadyAnswer | undefined;
  #corporateBundles: ReadyAnswer | undefined;
  #dataBillers: ReadyAnswer | undefined;
  #cableBillers: ReadyAnswer | undefined;

  constructor(snapshot: Snapshot, now: () => number) {
    this.#snapshot = snapshot;
    this.#now = now;
    this.#dataProviders = byCode(snapshot.dataProviders, ({ type }) => type);
    this.#cableProviders = byCode(snapshot.cableProviders, ({ type }) => type);
    this.#products = new Map(
      snapshot.cableProviders.map(({ type, products }) => [fold(type), byCode(products, ({ code }) => code)]),
    );
  }

  /** How many answers are kept at the moment. */
  get kept(): number {
    return this.#bundles.size + this.#plans.size + this.#addOns.size + this.#spelledAddOns.size;
  }

  dataBundles(provider: string | undefined): ReadyAnswer {
    if (provider === undefined) {
      this.#allBundles ??= this.#writeBundles(this.#snapshot.dataProviders);
      return this.#allBundles;
    }
    return this.#bundles.get(provider) ?? this.#foldedBundles(provider);
  }

  corporateBundles(): ReadyAnswer {
    this.#corporateBundles ??= this.#written(
      writeCorporateBundles({
        success: true,
        status: "success",
        message: "Corporate data lookup successful",
        data: this.#snapshot.corporateBundles,
      }),
      false,
    );
    return this.#corporateBundles;
  }

  dataProviders(): ReadyAnswer {
    this.#dataBillers ??= this.#written(writeBillers({ success: true, billers: this.#snapshot.dataProviders }), false);
    return this.#dataBillers;
  }

  cableProviders(): ReadyAnswer {
    this.#cableBillers ??= this.#written(writeBillers({ success: true, billers: this.#snapshot.cableProviders }), true);
    return this.#cableBillers;
  }

  cablePlans(type: string): ReadyAnswer {
    const code = fold(type);
    const known = this.#plans.get(code);
    if (known) return known;
    const provider = this.#cableProvider(type);
    const plans = provider.products.map((product) => ({
      ...product,
      price: nairaOf(product.price),
      amount: nairaOf(product.amount),
    }));
    const answer = this.#written(writePlans({ success: true, plans }), true);
    this.#plans.set(code, answer);
    return answer;
  }

  addOns(type: string, productCode: string): ReadyAnswer {
    // Only what matches a code is ever kept, and no code holds a line break: two requests never share a key.
    const key = `${type}\n${productCode}`;
    return this.#addOns.get(key) ?? this.#spelledAddOns.get(key) ?? this.#writeAddOns(type, productCode, key);
  }

  #foldedBundles(given: string): ReadyAnswer {
    const code = fold(given);
    const known = this.#bundles.get(code);
    if (known) return known;
    const provider = this.#dataProviders.get(code);
    if (!provider) {
      const hint = knownCodes(this.#snapshot.dataProviders);
      throw unknownCode("provider_not_found", "No data provider has", given, hint);
    }
    const answer = this.#writeBundles([provider]);
    this.#bundles.set(code, answer);
    return answer;
  }

  #writeBundles(providers: readonly DataProvider[]): ReadyAnswer {
    const list = providers
      .map((provider) => this.#fragmentOf(provider))
      .filter((fragment) => fragment.length > 0)
      .flatMap((fragment, place) => (place === 0 ? [fragment] : [COMMA, fragment]));
    const frame = { before: [BUNDLES_BEGIN, ...list, BUNDLES_END], after: DATE_END };
    return new DatedAnswer(frame, this.#describe(list, true), this.#now);
  }

  #fragmentOf(provider: DataProvider): Buffer {
    const known = this.#fragments.get(provider);
    if (known) return known;
    const bundles = provider.bundles.map((bundle) => ({
      ...bundle,
      amount: nairaOf(bundle.amount),
      price: nairaOf(bundle.price),
    }));
    const fragment = Buffer.from(writeBundles(bundles).slice(1, -1));
    this.#fragments.set(provider, fragment);
    return fragment;
  }

  #writeAddOns(type: string, productCode: string, key: string): ReadyAnswer {
    const provider = this.#cableProvider(type);
    const product = this.#products.get(fold(type))?.get(fold(productCode));
    if (!product) {
      const hint = ` List its products with GET /api/v2/cable-tv/fetch-billers?type=${provider.type}.`;
      throw unknownCode("product_not_found", `${provider.type} has no product with`, productCode, hint);
    }
    const data = product.addOns.map(({ code, name, price }) => ({
      add_on_product_code: code,
      product_code: productCode,
      name,
      price: nairaOf(price),
      type,
    }));
    const message = `Add-on lookup successful for ${productCode}`;
    const answer = this.#written(writeAddOns({ success: true, status: "success", message, data }), true);
    const asListed = type === provider.type && productCode === product.code;
    (asListed ? this.#addOns : this.#spelledAddOns).set(key, answer);
    return answer;
  }

  #cableProvider(given: string): CableProvider {
    const provider = this.#cableProviders.get(fold(given));
    if (provider) return provider;
    const hint = knownCodes(this.#snapshot.cableProviders);
    throw unknownCode("provider_not_found", "No cable provider has", given, hint);
  }

  #written(body: string, open: boolean): ReadyAnswer {
    return new WrittenAnswer(Buffer.from(body), this.#describe([body], open));
  }

  #describe(content: readonly (string | Buffer)[], open: boolean) {
    const { revision, publishedAt } = this.#snapshot;
    return { etag: etagOf(content), revision, publishedAt, open };
  }
}
