import { answerWriter } from "../../operation/answer-writer.ts";
import { nairaOf } from "../../operation/money.ts";
import { type Pause, pacer } from "../../runtime/pace.ts";
import type { CableAddOn, CableProduct } from "../model/lists.ts";
import type { PriceList } from "../model/price-lists.ts";
import { type Group, groupIn, type Item, type Snapshot } from "../model/snapshot.ts";
import { AddOnAnswer, BillerAnswer, CablePlanAnswer, CorporateBundleAnswer } from "../operations/shapes.ts";
import { bundleList, etagOfAll, type Fragment, fragmentOf, fragmentPieces } from "./bundle-list.ts";
import { type BodySource, etagOf, WrittenBody } from "./written-body.ts";

const writeCorporateBundles = answerWriter(CorporateBundleAnswer);
const writeBillers = answerWriter(BillerAnswer);
const writePlans = answerWriter(CablePlanAnswer);
const writeAddOns = answerWriter(AddOnAnswer);

/** Makes each thing once for its owner, and anew when the part that it was made from as well is another. */
class Kept<Owner extends object, Made> {
  readonly #kept = new WeakMap<Owner, { part: unknown; made: Made }>();

  has(owner: Owner): boolean {
    return this.#kept.has(owner);
  }

  of(owner: Owner, make: () => Made, part?: unknown): Made {
    const known = this.#kept.get(owner);
    if (known && known.part === part) return known.made;
    const made = make();
    this.#kept.set(owner, { part, made });
    return made;
  }
}

/**
 * Written bodies. Each is kept as long as the entries that it was written from: revisions that have a group alike share its
 * bodies.
 */
export class Bodies {
  readonly #now: () => number;
  readonly #fragments = new Kept<Group, Fragment>();
  readonly #bundles = new Kept<Group, BodySource>();
  readonly #allBundles = new Kept<object, BodySource>();
  readonly #corporateBundles = new Kept<Group, BodySource>();
  readonly #billers = new Kept<Group, BodySource>();
  readonly #plans = new Kept<Group, BodySource>();
  readonly #addOns = new Kept<Item, BodySource>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Writes what takes long before anybody asks for it, and lets others have their turns meanwhile. */
  async prepare(snapshot: Snapshot): Promise<void> {
    const pause = pacer();
    for (const group of snapshot.groups["data-bundles"].values()) {
      if (this.#fragments.has(group)) continue;
      // What cannot be written is told to those who ask for it; it must not keep the rest from being served.
      const fragment = await slowFragment(pause, group).catch(() => undefined);
      if (fragment) this.#fragments.of(group, () => fragment);
    }
  }

  bundles(group: Group): BodySource {
    return this.#bundles.of(group, () => this.#listOf(this.#fragment(group)));
  }

  ownBundles(group: Group, prices: PriceList): BodySource {
    return this.#listOf(fragmentOf([...fragmentPieces(group, prices)]));
  }

  allBundles(snapshot: Snapshot): BodySource {
    const owner = snapshot.groups["data-bundles"];
    const fragments = () => bundleGroups(snapshot).map(({ group }) => this.#fragment(group));
    const make = () => bundleList(fragments(), etagOfAll(fragments()), this.#now);
    return this.#allBundles.of(owner, make, groupIn(snapshot, "data-providers"));
  }

  /** Differs where the bundles, or the account's prices, do. */
  ownEtag(snapshot: Snapshot, prices: PriceList): string {
    return etagOf([this.allBundles(snapshot).etag, prices.fingerprint]);
  }

  /** Lets others have their turns while it is written. */
  async allOwnBundles(snapshot: Snapshot, prices: PriceList): Promise<BodySource> {
    const pause = pacer();
    const fragments: Fragment[] = [];
    for (const { provider, group } of bundleGroups(snapshot))
      fragments.push(prices.touches(provider) ? await slowFragment(pause, group, prices) : this.#fragment(group));
    return bundleList(fragments, this.ownEtag(snapshot, prices), this.#now);
  }

  corporateBundles(group: Group): BodySource {
    const message = "Corporate data lookup successful";
    return this.#corporateBundles.of(group, () =>
      written(writeCorporateBundles({ success: true, status: "success", message, data: contentsOf(group) })),
    );
  }

  billers(group: Group): BodySource {
    return this.#billers.of(group, () => written(writeBillers({ success: true, billers: contentsOf(group) })));
  }

  plans(group: Group): BodySource {
    return this.#plans.of(group, () => plansBody(group));
  }

  /** Add-ons of a product, under its codes as the catalogue spells them. */
  addOns(product: Item, group: Group): BodySource {
    const { type, code } = product.content as CableProduct;
    return this.#addOns.of(product, () => addOnsBody(group, type, code), group);
  }

  #fragment(group: Group): Fragment {
    return this.#fragments.of(group, () => fragmentOf([...fragmentPieces(group)]));
  }

  #listOf(fragment: Fragment): BodySource {
    return bundleList([fragment], fragment.etag, this.#now);
  }
}

function bundleGroups(snapshot: Snapshot): { provider: string; group: Group }[] {
  return groupIn(snapshot, "data-providers").map(({ key }) => ({
    provider: key,
    group: groupIn(snapshot, "data-bundles", key),
  }));
}

async function slowFragment(pause: Pause, group: Group, prices?: PriceList): Promise<Fragment> {
  const pieces: Buffer[] = [];
  for (const piece of fragmentPieces(group, prices)) {
    pieces.push(piece);
    await pause();
  }
  return fragmentOf(pieces);
}

export function plansBody(group: Group, prices?: PriceList): WrittenBody {
  const plans = group.map(({ key, content }) => {
    const { price, amount, ...plan } = content as CableProduct;
    return { ...plan, price: nairaOf(prices ? prices.priceOf(key, price) : price), amount: nairaOf(amount) };
  });
  return written(writePlans({ success: true, plans }));
}

/** Repeats the codes as they were asked for. */
export function addOnsBody(group: Group, type: string, productCode: string, prices?: PriceList): WrittenBody {
  const data = group.map(({ key, content }) => {
    const { price, ...addOn } = content as CableAddOn;
    const own = prices ? prices.priceOf(key, price) : price;
    return { ...addOn, type, product_code: productCode, price: nairaOf(own) };
  });
  const message = `Add-on lookup successful for ${productCode}`;
  return written(writeAddOns({ success: true, status: "success", message, data }));
}

function contentsOf(group: Group): object[] {
  return group.map(({ content }) => content);
}

function written(body: string): WrittenBody {
  return new WrittenBody(Buffer.from(body));
}
