import { answerWriter } from "../../declare/answers/answer-writer.ts";
import { nairaOf } from "../../declare/money.ts";
import Type from "../../declare/schema/type.ts";
import { lists } from "../../lists/index.ts";
import { type Pause, pacer } from "../../runtime/pace.ts";
import { foldCase } from "../model/codes.ts";
import type { DataBundleEntry } from "../model/lists.ts";
import { groupsIn, isGroup, type PriceList, priceListOf } from "../model/price-lists.ts";
import { type Group, groupIn, type Snapshot } from "../model/snapshot.ts";
import { availableIn } from "../model/supply.ts";
import { Body, type LaterBody } from "./body.ts";
import { etagOf } from "./etag.ts";

/** How many bundles are written between two pauses for the event loop. */
const CHUNK = 250;

const write = answerWriter(Type.Array(lists["data-bundles"].answerEntry));

const BEGIN = Buffer.from('{"success":true,"data":{"status":1,"error":false,"data":[');
const END = Buffer.from('],"date":"');
const DATE_END = Buffer.from('","message":"Data lookup successful"}}');
const COMMA = Buffer.from(",");

/** A provider's bundles as JSON without brackets, `CHUNK` of them per buffer, with their ETag. */
interface Fragment {
  readonly chunks: readonly Buffer[];
  readonly etag: string;
}

/** Fragments in the prices of the catalogue and of groups, because many accounts share these prices. */
const fragments = new WeakMap<Group, Fragment>();
const groupFragments = new WeakMap<PriceList, WeakMap<Group, Fragment>>();

/**
 * Writes the bundles of every provider before the first request, including those in the prices of groups, with pauses
 * for the event loop.
 */
export async function prepareBundles(snapshot: Snapshot): Promise<void> {
  const pause = pacer();
  const priceLists = groupsIn(snapshot).map((group) => priceListOf(snapshot, group));
  for (const [provider, group] of snapshot.groups["data-bundles"])
    for (const prices of [undefined, ...priceLists]) {
      if (prices && !prices.touching("data-bundles", provider)) continue;
      const kept = fragmentsIn(prices);
      // If a provider's list cannot be written, only requests for that list fail.
      if (!kept.has(group))
        await pacedFragment(pause, pieces(group, prices)).then(
          (made) => kept.set(group, made),
          () => {},
        );
    }
}

/** The response that lists a provider's bundles. */
export function bundlesBody(group: Group, now: () => number, prices?: PriceList): Body {
  const isShared = prices === undefined || isGroup(prices.holder);
  const fragment = isShared ? preparedFragment(group, prices) : fragmentOf([...ownPieces(group, prices)]);
  return bodyOf([fragment], fragment.etag, now);
}

/** The response that lists the bundles of every provider. */
export function allBundlesBody(snapshot: Snapshot, now: () => number): Body {
  const all = bundleGroups(snapshot).map(({ group }) => preparedFragment(group));
  return bodyOf(all, etagOfAll(all), now);
}

/**
 * Like `allBundlesBody`, in the prices of a group or an account. Pauses for the event loop while an account's own
 * prices are written.
 */
export function allPricedBundlesBody(snapshot: Snapshot, now: () => number, prices: PriceList): Body | LaterBody {
  const groups = bundleGroups(snapshot).map((each) => ({
    ...each,
    of: prices.touching("data-bundles", each.provider),
  }));
  const inPricesOf = (shared: PriceList | undefined) =>
    groups.map(({ provider, group }) => preparedFragment(group, shared?.touching("data-bundles", provider)));
  if (isGroup(prices.holder)) {
    const all = inPricesOf(prices);
    return bodyOf(all, etagOfAll(all), now);
  }
  const common = inPricesOf(undefined);
  // The body depends on nothing but the catalogue's prices, the group's prices and the account's rules.
  const etag = etagOf([etagOfAll(common), etagOfAll(inPricesOf(prices.group)), prices.fingerprint]);
  const size = common.reduce((sum, { chunks }) => sum + chunks.reduce((all, { length }) => all + length, 0), 0);
  const writing = async () => {
    const pause = pacer();
    const all: Fragment[] = [];
    for (const { group, of } of groups)
      all.push(of === prices ? await pacedFragment(pause, ownPieces(group, prices)) : preparedFragment(group, of));
    return bodyOf(all, etag, now);
  };
  return { etag, size, body: writing() };
}

function bundleGroups(snapshot: Snapshot): { provider: string; group: Group }[] {
  return groupIn(snapshot, "data-providers").map(({ key }) => ({
    provider: key,
    group: groupIn(snapshot, "data-bundles", key),
  }));
}

function preparedFragment(group: Group, ofGroup?: PriceList): Fragment {
  const kept = fragmentsIn(ofGroup);
  const known = kept.get(group);
  if (known) return known;
  const made = fragmentOf([...pieces(group, ofGroup)]);
  kept.set(group, made);
  return made;
}

function fragmentsIn(ofGroup: PriceList | undefined): WeakMap<Group, Fragment> {
  if (ofGroup === undefined) return fragments;
  const known = groupFragments.get(ofGroup) ?? new WeakMap<Group, Fragment>();
  groupFragments.set(ofGroup, known);
  return known;
}

async function pacedFragment(pause: Pause, pieces: Iterable<Buffer>): Promise<Fragment> {
  const written: Buffer[] = [];
  for (const piece of pieces) {
    written.push(piece);
    await pause();
  }
  return fragmentOf(written);
}

function* pieces(group: Group, prices?: PriceList): Generator<Buffer, void> {
  for (const items of chunksOf(group)) yield pieceOf(items, prices);
}

/**
 * Yields the bundles in an account's own prices. Chunks that no rule of the account changes reuse the bytes in the
 * prices of the account's group, or of the catalogue if no rule of a group decides.
 */
function* ownPieces(group: Group, prices: PriceList): Generator<Buffer, void> {
  const provider = group[0]?.content.type;
  const ofGroup = prices.group?.touching("data-bundles", foldCase(String(provider)));
  const { chunks } = preparedFragment(group, ofGroup);
  for (const [place, items] of chunksOf(group).entries()) {
    const isOwn = items.some(({ key, content }) => prices.decides("data-bundles", key, content));
    yield isOwn ? pieceOf(items, prices) : chunks[place]!;
  }
}

function chunksOf(group: Group): Group[] {
  const listed = availableIn(group);
  return Array.from({ length: Math.ceil(listed.length / CHUNK) }, (_, at) =>
    listed.slice(at * CHUNK, (at + 1) * CHUNK),
  );
}

function pieceOf(items: Group, prices: PriceList | undefined): Buffer {
  const bundles = items.map(({ key, content }) => {
    const { amount, price: listed, ...bundle } = content as DataBundleEntry;
    const price = prices ? prices.priceOf("data-bundles", key, content) : listed;
    return { ...bundle, amount: nairaOf(amount), price: nairaOf(price) };
  });
  return Buffer.from(write(bundles).slice(1, -1));
}

function fragmentOf(chunks: readonly Buffer[]): Fragment {
  return { chunks, etag: etagOf(chunks) };
}

function etagOfAll(all: readonly Fragment[]): string {
  return etagOf(all.filter(({ chunks }) => chunks.length > 0).map(({ etag }) => etag));
}

function bodyOf(all: readonly Fragment[], etag: string, now: () => number): Body {
  const list = all.flatMap(({ chunks }) => chunks).flatMap((chunk, place) => (place === 0 ? [chunk] : [COMMA, chunk]));
  return new Body([BEGIN, ...list, END], etag, { after: DATE_END, now });
}
