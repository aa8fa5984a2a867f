import { checkKinds } from "../../operation/check-kind.ts";
import { nairaOf } from "../../operation/money.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import type { Audited } from "../../storage/audited.ts";
import { piecesOf } from "../../storage/queries/pieces.ts";
import { billOf, type VendorPrices } from "../../upstreams/vendor-prices.ts";
import type { Attempt } from "../ledger/attempts.ts";
import { Sums } from "../ledger/journal/verification-sums.ts";

const batch = 500;
/** A younger attempt may not be in the sums yet. Milliseconds. */
const youngest = 3_600_000;

interface Pricing {
  vendor: string;
  prices: VendorPrices;
  from: number;
  to: number;
  now: number;
}

interface Room extends Audited {
  /** With the prices of outcomes, such as `bvn.not_found`, by vendor: an attempt keeps that of its kind only. */
  config: { timeZone: TimeZone; vendorPrices: Readonly<Record<string, VendorPrices>> };
}

/** Writes the price on each attempt of the period that has none, and adds what it bills to the sums. Gives how many there were. */
export async function priceAttempts(
  { db, audit, actor, config: { timeZone: zone, vendorPrices } }: Room,
  { vendor, prices, from, to, now }: Pricing,
): Promise<number> {
  const kinds = checkKinds.filter((kind) => prices[kind] !== undefined);
  let priced = 0;
  for (;;) {
    const count = await db.transaction().execute(async (trx) => {
      const rows = (await trx
        .selectFrom("verification_attempt")
        .selectAll()
        .where("vendor", "=", vendor)
        .where("price", "is", null)
        .where("kind", "in", kinds)
        .where("asked_at", ">=", from)
        .where("asked_at", "<", Math.min(to, now - youngest))
        .orderBy("asked_at")
        .limit(batch)
        .execute()) as Attempt[];
      const sums = new Sums(zone);
      for (const [kind, some] of Map.groupBy(rows, (row) => row.kind)) {
        const price = prices[kind]!;
        for (const piece of piecesOf(some)) {
          const isOne = piece.map(({ reference, number }) => ({ reference, number }));
          await trx
            .updateTable("verification_attempt")
            .set({ price })
            .where((row) => row.or(isOne.map((one) => row.and(one))))
            .execute();
        }
        for (const row of some) {
          const bill = (price: number | null) => billOf({ ...row, price }, vendorPrices[vendor]).kobo ?? 0;
          sums.add(row.asked_at, row, vendor, { billed_kobo: bill(price) - bill(null) });
        }
      }
      await sums.write(trx);
      return rows.length;
    });
    priced += count;
    if (count < batch) break;
  }
  const text = kinds.map((kind) => `${kind}=${nairaOf(prices[kind]!)}`).join(",");
  await audit(db, { kind: "books.priced", actor, facts: { vendor, from, to, prices: text, questions: priced } });
  return priced;
}
