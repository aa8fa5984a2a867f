import { nairaOf } from "../../operation/money.ts";
import { changesBetween } from "../changes/change.ts";
import { nameOf } from "../model/lists.ts";
import { emptySnapshot, inOrder, type Snapshot } from "../model/snapshot.ts";
import { freePrices, oddPricesOfData } from "./prices.ts";

/** Prices that are 0, far from the face value, or far from what a GB costs in similar bundles, in sentences. */
export async function oddPricesIn(snapshot: Snapshot, factor: number): Promise<string[]> {
  const all = await changesBetween(emptySnapshot, snapshot);
  const farFromAmount = (["data-bundles", "cable-products"] as const).flatMap((list) =>
    [...inOrder(snapshot, list)].flatMap(({ content }) => {
      const [price, amount] = [Number(content.price), Number(content.amount)];
      if (price === 0 || amount === 0 || Math.max(price / amount, amount / price) <= factor) return [];
      return [`${nameOf(list, content)}: the price is ${nairaOf(price)}, and the face value ${nairaOf(amount)}.`];
    }),
  );
  return [
    ...(await freePrices(all)),
    ...farFromAmount,
    ...(await oddPricesOfData(emptySnapshot, snapshot, all, factor)),
  ];
}
