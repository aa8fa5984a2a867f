import { answerWriter } from "../../operation/answers/answer-writer.ts";
import { nairaOf } from "../../operation/money.ts";
import Type from "../../operation/schema/type.ts";
import { type Pause, pacer } from "../../runtime/pace.ts";
import type { DataBundleEntry } from "../model/lists.ts";
import type { PriceList } from "../model/price-lists.ts";
import { type Group, groupIn, type Snapshot } from "../model/snapshot.ts";
import { availableIn } from "../model/supply.ts";
import { Body, type LaterBody } from "./body.ts";
import { etagOf } from "./etag.ts";
import { DataBundle } from "./shapes.ts";

/** Bundles between two pauses for the event loop. */
const CHUNK = 250;

const write = answerWriter(Type.Array(DataBundle));

const BEGIN = Buffer.from('{"success":true,"data":{"status":1,"error":false,"data":[');
const END = Buffer.from('],"date":"');
const DATE_END = Buffer.from('","message":"Data lookup successful"}}');
const COMMA = Buffer.from(",");

/** The bundles of a provider as JSON, without the brackets, and their ETag. */
interface Fragment {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** Fragments in the catalogue's prices. */
const fragments = new WeakMap<Group, Fragment>();

/** Writes the bundles of every provider before the first request, with pauses for the event loop. */
export async function prepareBundles(snapshot: Snapshot): Promise<void> {
  const pause = pacer();
  for (const group of snapshot.groups["data-bundles"].values()) {
    // A request for a faulty list gets the fault; all other lists are served.
    if (!fragments.has(group))
      await pacedFragment(pause, group).then(
        (made) => fragments.set(group, made),
        () => {},
      );
  }
}

/** The response that lists a provider's bundles. */
export function bundlesBody(group: Group, now: () => number, prices?: PriceList): Body {
  const fragment = prices ? fragmentOf([...pieces(group, prices)]) : preparedFragment(group);
  return bodyOf([fragment], fragment.etag, now);
}

/** The response that lists the bundles of every provider. */
export function allBundlesBody(snapshot: Snapshot, now: () => number): Body {
  const all = bundleGroups(snapshot).map(({ group }) => preparedFragment(group));
  return bodyOf(all, etagOfAll(all), now);
}

/** The same in an account's prices, written with pauses for the event loop. */
export function allOwnBundlesBody(snapshot: Snapshot, now: () => number, prices: PriceList): LaterBody {
  const common = bundleGroups(snapshot).map(({ group }) => preparedFragment(group));
  const etag = etagOf([etagOfAll(common), prices.fingerprint]);
  const size = common.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const writing = async () => {
    const pause = pacer();
    const all: Fragment[] = [];
    for (const { provider, group } of bundleGroups(snapshot))
      all.push(prices.touches(provider) ? await pacedFragment(pause, group, prices) : preparedFragment(group));
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

function preparedFragment(group: Group): Fragment {
  const known = fragments.get(group);
  if (known) return known;
  const made = fragmentOf([...pieces(group)]);
  fragments.set(group, made);
  return made;
}

async function pacedFragment(pause: Pause, group: Group, prices?: PriceList): Promise<Fragment> {
  const written: Buffer[] = [];
  for (const piece of pieces(group, prices)) {
    written.push(piece);
    await pause();
  }
  return fragmentOf(written);
}

function* pieces(group: Group, prices?: PriceList): Generator<Buffer, void> {
  const listed = availableIn(group);
  for (let at = 0; at < listed.length; at += CHUNK) {
    const bundles = listed.slice(at, at + CHUNK).map(({ key, content }) => {
      const { amount, price, ...bundle } = content as DataBundleEntry;
      return { ...bundle, amount: nairaOf(amount), price: nairaOf(prices ? prices.priceOf(key, price) : price) };
    });
    if (at > 0) yield COMMA;
    yield Buffer.from(write(bundles).slice(1, -1));
  }
}

function fragmentOf(written: readonly Buffer[]): Fragment {
  const bytes = Buffer.concat(written);
  return { bytes, etag: etagOf([bytes]) };
}

function etagOfAll(all: readonly Fragment[]): string {
  return etagOf(all.filter(({ bytes }) => bytes.length > 0).map(({ etag }) => etag));
}

function bodyOf(all: readonly Fragment[], etag: string, now: () => number): Body {
  const list = all
    .filter(({ bytes }) => bytes.length > 0)
    .flatMap(({ bytes }, place) => (place === 0 ? [bytes] : [COMMA, bytes]));
  return new Body([BEGIN, ...list, END], etag, { after: DATE_END, now });
}
