import { type Kysely, sql } from "kysely";
import type { Tables } from "../../src/storage/tables.ts";

/** The columns of a ledger row that decide balances and caps. */
export interface LedgerRow {
  reference: string;
  email: string;
  state: string;
  charged: number;
  fee: number;
  /** The month that a cap counts, or `prepaid`. */
  spends: string | null;
  created_at: number;
}

interface Sum {
  kobo: number;
  verifications: number;
}

/** Kobo by the account's e-mail. */
type Paid = ReadonlyMap<string, number>;

/**
 * Computes what balances and caps must be: top-ups minus open and charged fees, plus corrections by hand. Remembers
 * each row as last seen, so rows that retention deleted still count.
 */
export class Balances {
  readonly #rows = new Map<string, LedgerRow>();
  /** By e-mail and period. */
  readonly #sums = new Map<string, Sum>();

  /** Adds rows, or updates rows that were added before. */
  note(rows: readonly LedgerRow[]): void {
    for (const row of rows) {
      const before = this.#rows.get(row.reference);
      if (before) this.#add(before, -1);
      this.#add(row, 1);
      const { reference, email, state, charged, fee, spends, created_at } = row;
      this.#rows.set(reference, { reference, email, state, charged, fee, spends, created_at });
    }
  }

  /** Throws if an added row, created after `madeAfter`, is not among `rows`. */
  checkNoneIsGone(rows: readonly LedgerRow[], madeAfter: number): void {
    const held = new Set(rows.map(({ reference }) => reference));
    for (const { reference, created_at } of this.#rows.values())
      if (created_at > madeAfter && !held.has(reference)) throw new Error(`${reference} is gone too soon`);
  }

  /** Compares the store's figures with ours. `corrections`: credits by hand, in kobo. */
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
      // If a charge was reversed after its correction, the correction no longer counts.
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
