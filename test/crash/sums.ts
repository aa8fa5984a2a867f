import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import { StoreAway } from "../../src/storage/errors.ts";
import type { Tables } from "../../src/storage/tables.ts";
import type { Wanted } from "./clients.ts";

const lookEvery = 100;

/** Sums over all verifications, in kobo. */
interface Sums {
  /** Every charge ever made. */
  charges: number;
  adjustments: number;
  /** The part of the adjustments that took charges back. */
  waived: number;
  /** What the rows say is charged now. */
  standing: number;
}

/** The spending of an account from a cap or a balance, and the fees of its running and charged verifications. */
interface Spent {
  account_id: string;
  period: string;
  kobo: number;
  verifications: number;
  most_kobo: number | null;
  fees: number;
  count: number;
  topped_up: number;
  cap: string;
}

/**
 * Checks the ledger's sums while services start and die. Sums may fall only by adjustments, and the charge of a
 * delivered record must stay.
 */
export class SumWatch {
  readonly #db: Kysely<Tables>;
  readonly #wanted: () => readonly Wanted[];
  readonly #running: Promise<void>;
  #last: Sums = { charges: 0, adjustments: 0, waived: 0, standing: 0 };
  #isOver = false;
  #looks = 0;

  constructor(db: Kysely<Tables>, wanted: () => readonly Wanted[]) {
    this.#db = db;
    this.#wanted = wanted;
    this.#running = this.#watch();
    // `stop` rethrows the error.
    this.#running.catch(() => undefined);
  }

  /**
   * Checks the sums a last time. Rejects with the first broken promise. Returns the number of checks, and the kobo of
   * charges taken back.
   */
  async stop(): Promise<{ looks: number; waivedKobo: number }> {
    this.#isOver = true;
    await this.#running;
    await this.#look();
    return { looks: this.#looks, waivedKobo: Math.abs(this.#last.waived) };
  }

  async #watch(): Promise<void> {
    while (!this.#isOver) {
      try {
        await this.#look();
      } catch (error) {
        // The database may be crashed meanwhile.
        if (!(error instanceof StoreAway)) throw error;
      }
      await pause(lookEvery);
    }
  }

  async #look(): Promise<void> {
    const given = this.#wanted().filter(({ end }) => end?.status === 200);
    const sums = await this.#sums();
    const told = JSON.stringify({ before: this.#last, now: sums });
    assert.equal(sums.charges + sums.adjustments, sums.standing, told);
    assert.ok(sums.charges >= this.#last.charges, `Charges fell: ${told}`);
    assert.ok(sums.waived <= this.#last.waived, `Entries were lost: ${told}`);
    const fallen = this.#last.standing + (sums.waived - this.#last.waived);
    assert.ok(sums.standing >= fallen, `The sum fell without an entry: ${told}`);
    this.#last = sums;
    this.#looks += 1;
    for (const spent of await this.#spent()) checkSpent(spent);
    const free = await this.#db.selectFrom("verification").select("reference").where("charged", "=", 0).execute();
    const uncharged = new Set(free.map(({ reference }) => reference));
    for (const { key, reference } of given)
      assert.ok(!uncharged.has(reference!), `${key} was given its record, and its charge was taken back`);
  }

  /** In one statement, which sees one moment. */
  async #sums(): Promise<Sums> {
    const { rows } = await sql<Sums>`
      select coalesce(sum(case when charged_at is not null then fee end), 0) as charges,
        coalesce(sum(charged * fee), 0) as standing,
        (select coalesce(sum(kobo), 0) from adjustment) as adjustments,
        (select coalesce(sum(kobo), 0) from adjustment where charges < 0) as waived
      from verification`.execute(this.#db);
    return rows[0]!;
  }

  async #spent(): Promise<Spent[]> {
    const takes = sql`verification.account_id = spending.account_id and verification.spends = spending.period
      and (verification.state = 'started' or verification.charged = 1)`;
    const { rows } = await sql<Spent>`
      select spending.*, account.terms as cap,
        (select coalesce(sum(fee), 0) from verification where ${takes}) as fees,
        (select count(*) from verification where ${takes}) as count,
        (select coalesce(sum(kobo), 0) from top_up where top_up.account_id = spending.account_id) as topped_up
      from spending join account on account.id = spending.account_id`.execute(this.#db);
    return rows;
  }
}

/**
 * The spending must equal the fees of running and charged verifications, and must not exceed the cap or the balance.
 */
function checkSpent(spent: Spent): void {
  const { kobo, verifications, most_kobo, fees, count, topped_up, cap } = spent;
  const told = JSON.stringify(spent);
  assert.deepEqual({ kobo, verifications }, { kobo: fees, verifications: count }, told);
  const { prepaid, capCount } = JSON.parse(cap);
  if (prepaid) assert.ok(most_kobo === topped_up && kobo <= topped_up, told);
  else assert.ok(verifications <= capCount, told);
}
