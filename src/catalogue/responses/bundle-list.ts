import Type from "typebox";
import { answerWriter } from "../../operation/answer-writer.ts";
import { nairaOf } from "../../operation/money.ts";
import type { DataBundleEntry as Bundle } from "../model/lists.ts";
import type { PriceList } from "../model/price-lists.ts";
import type { Group } from "../model/snapshot.ts";
import { DataBundle } from "../operations/shapes.ts";
import { DatedBody } from "./dated-body.ts";
import { etagOf } from "./written-body.ts";

/** Bundles that are written at once, between two turns of the event loop. */
const CHUNK = 250;

const write = answerWriter(Type.Array(DataBundle));

const BEGIN = Buffer.from('{"success":true,"data":{"status":1,"error":false,"data":[');
const END = Buffer.from('],"date":"');
const DATE_END = Buffer.from('","message":"Data lookup successful"}}');
const COMMA = Buffer.from(",");

/** The bundles of a provider as JSON, without the brackets, and a validator of them. */
export interface Fragment {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** Writes a provider's bundles piece by piece: the caller may let others have a turn between two. */
export function* fragmentPieces(group: Group, prices?: PriceList): Generator<Buffer, void> {
  for (let at = 0; at < group.length; at += CHUNK) {
    const bundles = group.slice(at, at + CHUNK).map(({ key, content }) => {
      const { amount, price, ...bundle } = content as Bundle;
      return { ...bundle, amount: nairaOf(amount), price: nairaOf(prices ? prices.priceOf(key, price) : price) };
    });
    if (at > 0) yield COMMA;
    yield Buffer.from(write(bundles).slice(1, -1));
  }
}

export function fragmentOf(pieces: readonly Buffer[]): Fragment {
  const bytes = Buffer.concat(pieces);
  return { bytes, etag: etagOf([bytes]) };
}

/** A validator of several fragments one after the other. */
export function etagOfAll(fragments: readonly Fragment[]): string {
  return etagOf(fragments.filter(({ bytes }) => bytes.length > 0).map(({ etag }) => etag));
}

/** The answer that lists fragments one after the other. */
export function bundleList(fragments: readonly Fragment[], etag: string, now: () => number): DatedBody {
  const list = fragments
    .filter(({ bytes }) => bytes.length > 0)
    .flatMap(({ bytes }, place) => (place === 0 ? [bytes] : [COMMA, bytes]));
  return new DatedBody({ before: [BEGIN, ...list, END], after: DATE_END }, etag, now);
}
