import { randomUUID } from "node:crypto";
import type { Expression, SqlBool, Transaction } from "kysely";
import { balancePeriod } from "../declare/account-terms.ts";
import { randomText } from "../runtime/random-text.ts";
import { ConnectionShares } from "../storage/queries/connection-shares.ts";
import { inTable, withFollowUps } from "../storage/queries/follow-ups.ts";
import { upsert } from "../storage/queries/upsert.ts";
import type { Db, Tables, VerificationRow } from "../storage/tables.ts";
import { noBill } from "./attempts.ts";
import { addToJournal, type Happening } from "./journal/journal-entry.ts";
import type { Row } from "./ledger.ts";
import { adjustmentsOf } from "./reports/inspect.ts";
import { type Budget, kindOf } from "./spending/budget.ts";
import { giveBack, lowerBalance, spendingColumns, take } from "./spending/spending.ts";

/** A charge whose write got no response from the store: it may have committed, or may still commit. */
export interface UncertainCharge {
  /** The `charge_mark` that the charge writes. */
  mark: string;
  /** The `charge_mark` that the charge replaces. */
  replaces: string;
}

/** A charge for a verified person's record that did not reach the API client. */
export interface UnreadCharge {
  /** The `charge_mark` that the charge wrote. */
  unread: string;
}

/**
 * Begins the mark of a charge that came without an idempotency key. Only the mark keeps this fact: retention deletes
 * keys.
 */
const keylessMark = "keyless:";

/** Begins the mark of a charge for a record that did not reach the API client, and that no retry has got since. */
const unreadMark = "unread:";

/** `isKeyless`: the charge came without an idempotency key, so nobody can ask for its record again. */
export function newChargeMark(isKeyless = false): string {
  return (isKeyless ? keylessMark : "") + randomText(12);
}

/**
 * Changes the charge of a verified row. Each change compares the row's `charge_mark` and writes a new one, so that only
 * one of two concurrent changes succeeds. Only the holder of its mark can reverse a charge. A replay that returns the
 * record clears the mark, which makes the charge final. `charged_at` is written once: reversals and repeated charges
 * add adjustments, so that closed months do not change.
 */
export class Charges {
  readonly #db: Db;
  readonly #now: () => number;
  readonly #shares: ConnectionShares;
  readonly #owner: string;
  /**
   * Charges without an idempotency key to whose write the store has not responded yet: the reference of each, by mark.
   */
  readonly #unheard = new Map<string, string>();
  /** The time of the newest charge, in milliseconds since 1970. */
  #newest = 0;
  /** The number of charges so far, and the number that the last note settles. */
  #begun = 0;
  #settled = 0;

  /** `now` returns milliseconds since 1970. `owner`: id of the process. */
  constructor(db: Db, now: () => number, shares = new ConnectionShares(), owner = "") {
    this.#db = db;
    this.#now = now;
    this.#shares = shares;
    this.#owner = owner;
  }

  /** Call this before writing a charge with the time `at`. */
  begin(reference: string, mark: string, at: number): void {
    this.#begun += 1;
    this.#newest = Math.max(this.#newest, at);
    if (mark.startsWith(keylessMark)) this.#unheard.set(mark, reference);
  }

  /**
   * Call this once the store responded to the charge's write or the charge was reversed. The charge is then settled.
   */
  heard(mark: string): void {
    this.#unheard.delete(mark);
  }

  /** Whether a charge began after the last note, or was unsettled at that note. */
  get hasNews(): boolean {
    return this.#begun > this.#settled;
  }

  /**
   * Notes that all charges of this process so far are settled, except those that the note names. A note follows each
   * charge within a second; a process without charges writes none. If the process dies, the named charges, and later
   * ones without an idempotency key, are reversed, because nobody knows whether their callers got a response.
   */
  async note(): Promise<void> {
    const begun = this.#begun;
    const unheard = [...this.#unheard.values()];
    // Even if the clock went back, charges that were settled stay settled.
    const heard_until = Math.max(this.#now() - 1, this.#newest);
    await upsert(this.#db, "charging_process", { id: this.#owner }, { heard_until, unheard: unheard.join(",") });
    if (unheard.length === 0) this.#settled = begun;
  }

  /** Writes the last note when the process stops, or deletes it if all charges are settled. */
  async close(): Promise<void> {
    if (this.#unheard.size > 0) await this.note();
    else await this.#db.deleteFrom("charging_process").where("id", "=", this.#owner).execute();
  }

  /**
   * Reverses charges without an idempotency key that a dead process made after its last note, or that its note names.
   */
  async takeBackUnheard(isGone: Expression<SqlBool>): Promise<void> {
    const gone = this.#db.selectFrom("charging_process").selectAll().where("id", "<>", this.#owner).where(isGone);
    for (const { id, heard_until, unheard } of await gone.execute()) {
      const made = await this.#db
        .selectFrom("verification")
        .innerJoin("charging_process", "charging_process.id", "verification.owner")
        .select(["reference", "charge_mark"])
        .where((row) => row.or([row("charged_at", ">", heard_until), row("reference", "in", unheard.split(","))]))
        .where("charged", "=", 1)
        .where("owner", "=", id)
        // A process that was only frozen renews its lease before its next charge, so it does not count as dead then.
        .where(isGone)
        // A caller with an idempotency key can retry and get the record that was charged. A mark of an older version
        // says nothing of keys, so its charge stays.
        .where("charge_mark", "like", `${keylessMark}%`)
        .execute();
      for (const { reference, charge_mark: mark } of made) await this.withdraw(reference, { mark, replaces: "" });
      // If the process is back, its newer note must stay.
      await this.#db
        .deleteFrom("charging_process")
        .where("id", "=", id)
        .where("heard_until", "=", heard_until)
        .where(isGone)
        .execute();
    }
  }

  /**
   * Charges for a record before it is returned for the first time. False if the charge has changed since the row was
   * read. Throws an error that `isTooMuch` recognises if the budget does not cover the fee.
   */
  async charge(row: Row, mark: string, budget?: Budget): Promise<boolean> {
    const at = this.#now();
    const { reference } = row;
    const charge = async (db: Db) => {
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
      const query = withFollowUps(db, change, (changed) => [
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

  /** Reverses an uncertain charge or keeps it from committing later, unless a replay has returned the record. */
  async withdraw(reference: string, charge: UncertainCharge): Promise<void> {
    // The charge may commit just before it is barred, so the reversal is tried again.
    (await this.#waive(reference, charge)) ||
      (await this.#bar(reference, charge)) ||
      (await this.#waive(reference, charge));
  }

  /**
   * Reverses the charge for a record that did not reach the API client, if no retry can get the record any more.
   * Otherwise marks the charge as unread.
   */
  async noteUnread(reference: string, { unread }: UnreadCharge): Promise<void> {
    const charge_mark = unreadMark + unread;
    const noted = await this.#db
      .updateTable("verification")
      .set({ charge_mark })
      .where("reference", "=", reference)
      .where("charged", "=", 1)
      .where("charge_mark", "in", [unread, charge_mark])
      .returning("sealed_record")
      .executeTakeFirst();
    if (noted?.sealed_record === null) await this.#waive(reference, { mark: charge_mark });
  }

  /**
   * Reverses the charge of a row whose record is no longer held, if the record did not reach the API client. Returns
   * true if the charge was to be reversed: then the row has changed.
   */
  async waiveUnread({ reference, charged, charge_mark: mark }: Row): Promise<boolean> {
    if (charged === 0 || !mark.startsWith(unreadMark)) return false;
    await this.#waive(reference, { mark });
    return true;
  }

  async #waive(reference: string, { mark }: Pick<UncertainCharge, "mark">): Promise<boolean> {
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
      // A correction by hand may have refunded a part already.
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

/** The journal entry of a changed charge. */
function entryOf(
  { reference, run, fee }: Pick<VerificationRow, "reference" | "run" | "fee">,
  what: Happening,
  at: number,
) {
  const charged = what === "charge" ? 1 : 0;
  const verified = { state: "verified", reason: null, attempt: null, ...noBill, told_unknown: 0 } as const;
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
