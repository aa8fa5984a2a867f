import { type Kysely, sql } from "kysely";
import type { Tables } from "../../src/storage/tables.ts";

/** A row of the ledger, as far as balances and caps need it. */
export interface LedgerRow {
  reference: string;
  email: string;
  state: string;
  charged: number;
  fee: number;
  /** The month of a cap, or `prepaid`. */
  spends: string | null;
  created_at: number;
}

interface Sum {
  kobo: number;
  verifications: number;
}

/** Kobo by e-mail. */
type Paid = ReadonlyMap<string, number>;

/**
 * What balances and caps must be: what was paid in, less what is charged or runs, and what went back by hand. Each row
 * is remembered as it was last seen, so what retention has removed since still counts.
 */
export class Balances {
  readonly #rows = new Map<string, LedgerRow>();
  /** By e-mail and period. */
  readonly #sums = new Map<string, Sum>();

  /** Notes rows, which may have changed since they were noted before. */
  note(rows: readonly LedgerRow[]): void {
    for (const row of rows) {
      const before = this.#rows.get(row.reference);
      if (before) this.#add(before, -1);
      this.#add(row, 1);
      const { reference, email, state, charged, fee, spends, created_at } = row;
      this.#rows.set(reference, { reference, email, state, charged, fee, spends, created_at });
    }
  }

  /** Throws if a row that was made after this time, and noted, is not among these. */
  checkNoneIsGone(rows: readonly LedgerRow[], madeAfter: number): void {
    const held = new Set(rows.map(({ reference }) => reference));
    for (const { reference, created_at } of this.#rows.values())
      if (created_at > madeAfter && !held.has(reference)) throw new Error(`${reference} is gone too soon`);
  }

  /** Compares the store's own figures. `corrections`: what went back by hand, in kobo. */
  async check(
    db: Kysely<Tables>,
    toppedUp: Paid,
    corrections: readonly { email: string; reference: string; kobo: number }[],
  ): Promise<void> {
    const { rows } = await sql<{ email: string; period: string; kobo: number; most: number; verifications: number }>`
      select account.email, period, kobo, most_kobo as most, verifications
      from spending join account on account.id = account_id`.execute(db);
    for (const { email, period, kobo, most, verifications } of rows) {
      const taken = this.#sums.get(`${email} ${period}`) ?? { kobo: 0, verifications: 0 };
      // A correction of a charge that was taken back later went with it.
      const back = corrections.filter((one) => one.email === email && this.#rows.get(one.reference)?.charged === 1);
      const paid = (toppedUp.get(email) ?? 0) + back.reduce((sum, one) => sum + one.kobo, 0);
      const isBalance = period === "prepaid";
      const expected = { ...taken, ...(isBalance && { left: paid - taken.kobo }) };
      const actual = { kobo, verifications, ...(isBalance && { left: most - kobo }) };
      if (JSON.stringify(actual) !== JSON.stringify(expected))
        throw new Error(
          `The ${period} of ${email} is ${JSON.stringify(actual)}, and should be ${JSON.stringify(expected)}`,
        );
    }
  }

  #add({ email, state, charged, fee, spends }: LedgerRow, times: 1 | -1): void {
    if (spends === null || !(charged === 1 || state === "started")) return;
    const key = `${email} ${spends}`;
    const { kobo, verifications } = this.#sums.get(key) ?? { kobo: 0, verifications: 0 };
    this.#sums.set(key, { kobo: kobo + times * fee, verifications: verifications + times });
  }
}
