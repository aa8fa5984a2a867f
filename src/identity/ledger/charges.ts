import { randomUUID } from "node:crypto";
import type { Kysely, Transaction } from "kysely";
import type { Tables } from "../../storage/tables.ts";
import type { Row } from "./ledger.ts";

/** A charge whose write got no answer: it may stand, or come yet. */
export interface DoubtfulCharge {
  /** The mark it writes. */
  mark: string;
  /** The mark it replaces. */
  replaces: string;
}

export function newChargeMark(): string {
  return randomUUID();
}

/**
 * Changes the charge of a verified row. Each change is guarded by the row's `charge_mark` and writes another one: of two
 * who want to change it one succeeds. A charge can be taken back only under the mark that it wrote, and that mark is gone
 * once a replay has given the record away. `charged_at` is written once: a charge that is taken back, or made again, is an
 * adjustment, so that closed months stay as they are.
 */
export class Charges {
  readonly #db: Kysely<Tables>;
  readonly #now: () => number;

  /** `now` gives milliseconds since 1970. */
  constructor(db: Kysely<Tables>, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  /** Charges a record that is about to be given for the first time. False if the row's charge has changed since it was read. */
  async charge(row: Row, mark: string): Promise<boolean> {
    const at = this.#now();
    const charge = (db: Kysely<Tables>) =>
      db
        .updateTable("verification")
        .set({ charged: 1, charge_mark: mark, charged_at: row.charged_at ?? at, audit_due: 1 })
        .where("reference", "=", row.reference)
        .where("state", "=", "verified")
        .where("charged", "=", 0)
        .where("charge_mark", "=", row.charge_mark)
        .returning(["reference", "account_id", "mode", "fee"])
        .executeTakeFirst();
    if (row.charged_at === null) return (await charge(this.#db)) !== undefined;
    return this.#db.transaction().execute(async (trx) => {
      const charged = await charge(trx);
      if (charged) await adjust(trx, charged, { charges: 1, at, reason: "its record was given after all" });
      return charged !== undefined;
    });
  }

  /** Lets a charge stand for good, as its record is about to be given again. False if it has changed since `row` was read. */
  async keep({ reference, charge_mark }: Row): Promise<boolean> {
    const kept = await this.#db
      .updateTable("verification")
      .set({ charge_mark: "" })
      .where("reference", "=", reference)
      .where("charged", "=", 1)
      .where("charge_mark", "=", charge_mark)
      .returning("reference")
      .executeTakeFirst();
    return kept !== undefined;
  }

  /** Sees to it that a doubtful charge neither stands nor comes later, unless a replay has given the record away. */
  async withdraw(reference: string, charge: DoubtfulCharge): Promise<void> {
    // It may come just before it is barred.
    (await this.#waive(reference, charge)) ||
      (await this.#bar(reference, charge)) ||
      (await this.#waive(reference, charge));
  }

  async #waive(reference: string, { mark }: DoubtfulCharge): Promise<boolean> {
    const at = this.#now();
    return this.#db.transaction().execute(async (trx) => {
      const waived = await trx
        .updateTable("verification")
        .set({ charged: 0, charge_mark: newChargeMark(), audit_due: 1 })
        .where("reference", "=", reference)
        .where("charged", "=", 1)
        .where("charge_mark", "=", mark)
        .returning(["reference", "account_id", "mode", "fee"])
        .executeTakeFirst();
      if (waived) await adjust(trx, waived, { charges: -1, at, reason: "its record was not given" });
      return waived !== undefined;
    });
  }

  async #bar(reference: string, { replaces }: DoubtfulCharge): Promise<boolean> {
    const barred = await this.#db
      .updateTable("verification")
      .set({ charge_mark: newChargeMark() })
      .where("reference", "=", reference)
      .where("charged", "=", 0)
      .where("charge_mark", "=", replaces)
      .returning("reference")
      .executeTakeFirst();
    return barred !== undefined;
  }
}

async function adjust(
  trx: Transaction<Tables>,
  { reference, account_id, mode, fee }: Pick<Row, "reference" | "account_id" | "fee"> & { mode: string },
  { charges, at, reason }: { charges: 1 | -1; at: number; reason: string },
): Promise<void> {
  await trx
    .insertInto("adjustment")
    .values({ id: randomUUID(), reference, account_id, mode, at, charges, kobo: charges * fee, reason })
    .execute();
}
