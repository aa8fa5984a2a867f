import { randomBytes, randomUUID } from "node:crypto";
import type { Expression, Kysely, SqlBool, Transaction } from "kysely";
import { balancePeriod } from "../../operation/account-terms.ts";
import { ConnectionShares } from "../../storage/queries/connection-shares.ts";
import { followed, inTable } from "../../storage/queries/followed.ts";
import { put } from "../../storage/queries/put.ts";
import type { Tables, VerificationRow } from "../../storage/tables.ts";
import { type Budget, kindOf } from "../spending/budget.ts";
import { giveBack, lowerBalance, spendingColumns, take } from "../spending/spending.ts";
import { addToJournal, type Happening } from "./journal/journal-entry.ts";
import type { Row } from "./ledger.ts";
import { adjustmentsOf } from "./reports/inspect.ts";

/** A charge whose write got no response: it may have committed, or may still commit. */
export interface UncertainCharge {
  /** The mark it writes. */
  mark: string;
  /** The mark it replaces. */
  replaces: string;
}

export function newChargeMark(): string {
  return randomBytes(12).toString("base64url");
}

/**
 * Changes the charge of a verified row. Each change compares the row's `charge_mark` and writes a new one, so that of two
 * concurrent changes one succeeds. Taking a charge back needs the mark that the charge wrote; a replay that returns the
 * record removes the mark. `charged_at` is written once: taking a charge back, or charging again, adds an adjustment, so
 * that closed months do not change.
 */
export class Charges {
  readonly #db: Kysely<Tables>;
  readonly #now: () => number;
  readonly #shares: ConnectionShares;
  readonly #owner: string;
  /** When charges without an idempotency key were made of which we do not know yet whether the store has them, by mark. */
  readonly #unheard = new Map<string, number>();
  #newest = 0;
  #notedUntil = 0;

  /** `now` gives milliseconds since 1970. `owner`: the process. */
  constructor(db: Kysely<Tables>, now: () => number, shares = new ConnectionShares(), owner = "") {
    this.#db = db;
    this.#now = now;
    this.#shares = shares;
    this.#owner = owner;
  }

  /** Before a charge is written that no replay will make final. */
  begin(mark: string, at: number): void {
    this.#unheard.set(mark, at);
    this.#newest = Math.max(this.#newest, at);
  }

  /** The store said what became of a charge: its caller is answered, or it is taken back. */
  heard(mark: string): void {
    this.#unheard.delete(mark);
  }

  /** Whether there are charges that the note does not cover. */
  get hasNews(): boolean {
    return this.#newest > this.#notedUntil;
  }

  /**
   * Notes until when every charge of this process was heard of. It is one statement a second, and none of a verification. What a process that
   * died charged after its last note is taken back, since nobody knows whether its caller was answered.
   */
  async note(): Promise<void> {
    const until = Math.min(this.#now(), ...this.#unheard.values()) - 1;
    await put(this.#db, "charging_process", { id: this.#owner }, { heard_until: until });
    this.#notedUntil = until;
  }

  /** The last note of a process that stops: none if all was heard of. */
  async close(): Promise<void> {
    if (this.#unheard.size > 0) await this.note();
    else await this.#db.deleteFrom("charging_process").where("id", "=", this.#owner).execute();
  }

  /** Takes back what processes that are gone charged after their last note. */
  async takeBackUnheard(isGone: Expression<SqlBool>): Promise<void> {
    const gone = this.#db.selectFrom("charging_process").selectAll().where("id", "<>", this.#owner).where(isGone);
    for (const { id, heard_until } of await gone.execute()) {
      const made = await this.#db
        .selectFrom("verification")
        .select(["reference", "charge_mark"])
        .where("charged_at", ">", heard_until)
        .where("charged", "=", 1)
        .where("owner", "=", id)
        // With a key the caller asks again, and gets the record that it is charged for.
        .where("idempotency_hash", "is", null)
        .execute();
      for (const { reference, charge_mark: mark } of made) await this.withdraw(reference, { mark, replaces: "" });
      await this.#db.deleteFrom("charging_process").where("id", "=", id).execute();
    }
  }

  /**
   * Charges a record before a caller first gets it. False if the row's charge has changed since it was read. Throws what
   * `isTooMuch` recognises if the budget is too little.
   */
  async charge(row: Row, mark: string, budget?: Budget): Promise<boolean> {
    const at = this.#now();
    const { reference } = row;
    const charge = async (db: Kysely<Tables>) => {
      const change = db
        .updateTable("verification")
        .set({
          charged: 1,
          charge_mark: mark,
          charged_at: row.charged_at ?? at,
          spends: budget?.period ?? null,
        })
        .where("reference", "=", reference)
        .where("state", "=", "verified")
        .where("charged", "=", 0)
        .where("charge_mark", "=", row.charge_mark)
        .returning([...spendingColumns, "mode", "kind"]);
      const query = followed(db, change, (changed) => [
        ...(budget ? [take(db, changed, { ...budget, reference }, kindOf(budget))] : []),
        addToJournal(db, changed, entryOf(row, "charge", at), false),
      ]);
      return (await db.executeQuery(query.compile())).rows[0];
    };
    return this.#shares.run(row.account_id, async () => {
      if (row.charged_at === null) return (await charge(this.#db)) !== undefined;
      return this.#db.transaction().execute(async (trx) => {
        const charged = await charge(trx);
        if (charged)
          await adjust(trx, charged, { charges: 1, kobo: row.fee, at, reason: "its record was given after all" });
        return charged !== undefined;
      });
    });
  }

  /** Makes a charge final before its record is returned again. False if the charge has changed since `row` was read. */
  async keep({ reference, account_id, charge_mark }: Row): Promise<boolean> {
    const change = this.#db
      .updateTable("verification")
      .set({ charge_mark: "" })
      .where("reference", "=", reference)
      .where("charged", "=", 1)
      .where("charge_mark", "=", charge_mark)
      .returning("reference");
    return (await this.#shares.run(account_id, () => change.executeTakeFirst())) !== undefined;
  }

  /** Takes an uncertain charge back, or stops it from committing later, unless a replay has returned the record. */
  async withdraw(reference: string, charge: UncertainCharge): Promise<void> {
    // The charge may commit just before we bar it.
    (await this.#waive(reference, charge)) ||
      (await this.#bar(reference, charge)) ||
      (await this.#waive(reference, charge));
  }

  async #waive(reference: string, { mark }: UncertainCharge): Promise<boolean> {
    const at = this.#now();
    return this.#db.transaction().execute(async (trx) => {
      const waived = await trx
        .updateTable("verification")
        .set({ charged: 0, charge_mark: newChargeMark() })
        .where("reference", "=", reference)
        .where("charged", "=", 1)
        .where("charge_mark", "=", mark)
        .returning(["mode", "kind", "run", "created_at", ...spendingColumns])
        .executeTakeFirst();
      if (!waived) return false;
      // What a person gave back before is not given back again.
      const corrected = (await adjustmentsOf(trx, waived)).reduce((sum, { kobo }) => sum + kobo, 0);
      const kobo = -Math.min(waived.fee, waived.fee + corrected);
      await adjust(trx, waived, { charges: -1, kobo, at, reason: "its record was not given" });
      await addToJournal(trx, inTable, { ...entryOf(waived, "reversal", at), kobo }, false).execute();
      if (waived.spends) await giveBack(trx, inTable, reference).execute();
      if (waived.spends === balancePeriod) await lowerBalance(trx, waived.account_id, waived.fee + kobo);
      return true;
    });
  }

  async #bar(reference: string, { replaces }: UncertainCharge): Promise<boolean> {
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

/** What the journal says of a change of a charge. */
function entryOf(
  { reference, run, fee }: Pick<VerificationRow, "reference" | "run" | "fee">,
  what: Happening,
  at: number,
) {
  const charged = what === "charge" ? 1 : 0;
  const verified = { state: "verified", reason: null, attempt: null, bill: null, told_unknown: 0 } as const;
  return { reference, run, at, what, charged, kobo: what === "charge" ? fee : -fee, ...verified } as const;
}

async function adjust(
  trx: Transaction<Tables>,
  { reference, account_id, mode, kind }: Pick<VerificationRow, "reference" | "account_id" | "mode" | "kind">,
  line: { charges: 1 | -1; kobo: number; at: number; reason: string },
): Promise<void> {
  await trx
    .insertInto("adjustment")
    .values({ id: randomUUID(), reference, account_id, mode, kind, ...line })
    .execute();
}
