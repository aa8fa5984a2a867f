import { expressionBuilder } from "kysely";
import { checkKinds } from "../../declare/check-kind.ts";
import { nairaOf } from "../../declare/money.ts";
import { type Attempt, journaledBill, withBill } from "../../ledger/attempts.ts";
import { holdRows } from "../../ledger/hold-row.ts";
import { isCounted } from "../../ledger/journal/recounted-sums.ts";
import { checkSumsZone } from "../../ledger/journal/sums-zone.ts";
import { Sums } from "../../ledger/journal/verification-sums.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import type { Audited } from "../../storage/audited.ts";
import { pageOf, piecesOf } from "../../storage/queries/pieces.ts";
import type { Tables } from "../../storage/tables.ts";
import type { VendorPrices } from "../../vendors/vendor-prices.ts";
import { booksTrail } from "./books-trail.ts";

const batch = 500;

interface Pricing {
  vendor: string;
  /**
   * All prices of the period. An outcome without a price of its own has the price of its kind; a failed attempt without
   * one is free.
   */
  prices: VendorPrices;
  from: number;
  to: number;
}

/** The changes of a period's bills, in kobo. */
export interface Repriced {
  attempts: number;
  changed: number;
  before: number;
  after: number;
}

/**
 * Corrects the bills of a period's attempts in the ledger and in the sums, except attempts in flight. Can be
 * interrupted: a second run does the rest.
 */
export async function priceAttempts(
  { db, audit, actor, config }: Audited & { config: { timeZone: TimeZone } },
  { vendor, prices, from, to }: Pricing,
): Promise<Repriced> {
  await checkSumsZone(db, config.timeZone);
  const kinds = checkKinds.filter((kind) => prices[kind] !== undefined);
  const done: Repriced = { attempts: 0, changed: 0, before: 0, after: 0 };
  let after: (string | number)[] | undefined;
  do {
    after = await db.transaction().execute(async (trx) => {
      const attempts = trx
        .selectFrom("verification_attempt")
        .selectAll()
        .select(({ selectFrom }) =>
          selectFrom("verification as made")
            .select("made.key_id")
            .whereRef("made.reference", "=", "verification_attempt.reference")
            .as("key_id"),
        )
        .where("vendor", "=", vendor)
        .where("kind", "in", kinds)
        .where("started_at", ">=", from)
        .where("started_at", "<", to)
        .where(isCounted);
      const page = await pageOf(attempts, ["started_at", "reference", "number"], batch, after);
      await holdRows(
        trx,
        page.rows.map(({ reference }) => reference),
      );
      // Read again: a transaction that we waited for may have ended the attempt.
      const held: Attempt[] = [];
      for (const piece of piecesOf(page.rows))
        held.push(...((await attempts.where(isOneOf(piece)).execute()) as Attempt[]));
      const sums = new Sums(config.timeZone);
      const changes: { was: Attempt; is: Pick<Attempt, "price" | "bill" | "bill_certain"> }[] = [];
      for (const was of held) {
        const is = billed(was, prices);
        done.attempts += 1;
        done.before += was.bill ?? 0;
        done.after += is.bill ?? 0;
        if (was.price === is.price && was.bill === is.bill && was.bill_certain === is.bill_certain) continue;
        changes.push({ was, is });
        for (const [attempt, times] of [
          [is, 1],
          [was, -1],
        ] as const) {
          const { bill, unsure, unpriced } = journaledBill(attempt);
          sums.add(was.started_at, was, vendor, { billed_kobo: bill ?? 0, unsure_kobo: unsure, unpriced }, times);
        }
      }
      for (const same of Map.groupBy(changes, ({ is }) => JSON.stringify(is)).values())
        for (const piece of piecesOf(same.map(({ was }) => was)))
          await trx.updateTable("verification_attempt").set(same[0]!.is).where(isOneOf(piece)).execute();
      await sums.write(trx);
      done.changed += changes.length;
      const last = page.rows.at(-1);
      return page.more ? [last!.started_at, last!.reference, last!.number] : undefined;
    });
  } while (after);
  const text = Object.entries(prices).map(([name, kobo]) => `${name}=${nairaOf(kobo!)}`);
  const facts = {
    prices: text.join(),
    attempts: done.changed,
    before: nairaOf(done.before),
    after: nairaOf(done.after),
  };
  await audit(db, booksTrail.priced(actor, { vendor, from, to, ...facts }));
  return done;
}

/** A condition: the attempt is one of these. */
function isOneOf(attempts: readonly Pick<Attempt, "reference" | "number">[]) {
  const row = expressionBuilder<Tables, "verification_attempt">();
  return row.or(attempts.map(({ reference, number }) => row.and({ reference, number })));
}

/** Returns the price and the bill of an attempt at these prices. */
function billed(was: Attempt, prices: VendorPrices): Pick<Attempt, "price" | "bill" | "bill_certain"> {
  const price = prices[was.kind]!;
  const ended = { ...was, attempt: was.number, state: was.outcome };
  const { bill, bill_certain } = withBill([{ ...was, price }], ended, { [was.vendor]: prices });
  return { price, bill, bill_certain };
}
