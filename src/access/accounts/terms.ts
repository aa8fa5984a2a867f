import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { accessTrail } from "../../declare/access-trail.ts";
import { type AccountTerms, balancePeriod } from "../../declare/account-terms.ts";
import { nairaOf } from "../../declare/money.ts";
import { rebuildCount } from "../../ledger/journal/rebuild-count.ts";
import { redactNumbers } from "../../runtime/redact.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import { type Audited, inTransaction } from "../../storage/audited.ts";
import type { Db } from "../../storage/tables.ts";
import { AccessError } from "../access-error.ts";
import { type Account, findAccount, updateAccount } from "./accounts.ts";

/** New values by member. Null removes the member, and an absent member stays as it is. */
export type TermsChange = { [Member in keyof AccountTerms]?: AccountTerms[Member] | null };

/** What an account's live verifications have spent, and what is left of a balance. Amounts in kobo. */
export interface AccountSpending {
  /** For the current month; null without a cap. */
  month: { kobo: number; verifications: number } | null;
  /** Null if the account is not prepaid. */
  balance: number | null;
}

/**
 * Changes the terms of the account of this id or e-mail. A new cap includes this month's earlier charges of the
 * account. Throws an `AccessError` if there is no such account, or if the account would have both a cap and a balance.
 */
export async function changeTerms(
  store: Audited,
  idOrEmail: string,
  change: TermsChange,
  zone: TimeZone,
  now: number = Date.now(),
): Promise<Account> {
  return inTransaction(store.db, async (trx) => {
    const account = await updateAccount(
      { ...store, db: trx },
      idOrEmail,
      ({ terms }) => ({ terms: JSON.stringify(changed(terms, change)) }),
      ({ id, terms }) => accessTrail.accountTermsChanged(store.actor, { account: id, ...factsOf(terms) }),
    );
    const { id, terms } = account;
    if (terms.prepaid && (terms.capKobo !== undefined || terms.capCount !== undefined))
      throw new AccessError(
        "An account has a monthly cap or a balance, not both. Take away the cap in naira and in verifications, " +
          "or end prepayment.",
      );
    if (terms.prepaid) await openPeriod(trx, id, balancePeriod, 0);
    if (change.capKobo != null || change.capCount != null) await countMonth(trx, id, zone, now);
    return account;
  });
}

/**
 * Adds kobo to the balance of an account; a negative number lowers the balance. Throws an `AccessError` if there is no
 * such account, or if the balance is less than what is taken.
 */
export async function topUp(
  { db, audit, actor }: Audited,
  idOrEmail: string,
  { kobo, reason: given }: { kobo: number; reason: string },
  now: number = Date.now(),
): Promise<Account> {
  const reason = redactNumbers(given);
  return inTransaction(db, async (trx) => {
    const account = await findAccount(trx, idOrEmail);
    const id = randomUUID();
    await trx.insertInto("top_up").values({ id, account_id: account.id, at: now, kobo, reason, actor }).execute();
    await openPeriod(trx, account.id, balancePeriod, 0);
    const balance = trx
      .updateTable("spending")
      .where("account_id", "=", account.id)
      .where("period", "=", balancePeriod);
    const added = await balance
      .set((row) => ({ most_kobo: row("most_kobo", "+", kobo) }))
      .where((row) => row(row("most_kobo", "+", kobo), ">=", row.ref("kobo")))
      .returning("period")
      .executeTakeFirst();
    if (!added) throw new AccessError("The balance of the account is less than the amount that you take back.");
    const facts = { account: account.id, top_up: id, amount: nairaOf(kobo), reason };
    await audit(trx, accessTrail.accountToppedUp(actor, facts));
    return account;
  });
}

/** The newest top-up of an account by this amount since `since`. */
export async function lastTopUp(db: Db, accountId: string, { kobo, since }: { kobo: number; since: number }) {
  return db
    .selectFrom("top_up")
    .select("at")
    .where("account_id", "=", accountId)
    .where("kobo", "=", kobo)
    .where("at", ">=", since)
    .orderBy("at", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** The spending of each account in the month of `now`. */
export async function spendingOf(
  db: Db,
  accounts: readonly Pick<Account, "id" | "terms">[],
  zone: TimeZone,
  now: number = Date.now(),
): Promise<(account: Pick<Account, "id" | "terms">) => AccountSpending> {
  const month = zone.monthOf(now);
  const rows = await db
    .selectFrom("spending")
    .select(["account_id", "period", "kobo", "verifications", "most_kobo"])
    .where("period", "in", [month, balancePeriod])
    .$if(accounts.length === 1, (query) => query.where("account_id", "=", accounts[0]!.id))
    .execute();
  const none = { kobo: 0, verifications: 0, most_kobo: 0 };
  const rowOf = new Map(rows.map((row) => [`${row.account_id} ${row.period}`, row]));
  return ({ id, terms: { capKobo, capCount, prepaid } }) => {
    const { kobo, verifications } = rowOf.get(`${id} ${month}`) ?? none;
    const { kobo: taken, most_kobo: toppedUp } = rowOf.get(`${id} ${balancePeriod}`) ?? none;
    return {
      month: capKobo === undefined && capCount === undefined ? null : { kobo, verifications },
      balance: prepaid ? toppedUp! - taken : null,
    };
  };
}

/**
 * The charges of live verifications this month, in kobo by account id, from the daily sums: of all accounts, or of the
 * given one.
 */
export async function chargedThisMonth(
  db: Db,
  zone: TimeZone,
  now: number,
  accountId?: string,
): Promise<ReadonlyMap<string, number>> {
  const month = zone.startOfMonth(zone.monthOf(now));
  if (accountId !== undefined) return chargedIn(db, { from: month, to: now }, accountId);
  const open = zone.startOfDay(zone.dayOf(now - lateBy));
  const [ended, later] = await Promise.all([
    chargedInEnded(db, { from: month, to: open - 1 }, now),
    chargedIn(db, { from: Math.max(month, open), to: now }),
  ]);
  const all = new Map(ended);
  for (const [id, kobo] of later) all.set(id, kobo + (all.get(id) ?? 0));
  return all;
}

/**
 * The charges of last month up to the day that corresponds to today, in kobo by account id: of all accounts, or of the
 * given one.
 */
export async function chargedLastMonth(
  db: Db,
  zone: TimeZone,
  now: number,
  accountId?: string,
): Promise<ReadonlyMap<string, number>> {
  const begun = zone.startOfMonth(zone.monthOf(now));
  const from = zone.startOfMonth(zone.monthOf(begun - 1));
  const to = zone.startOfDay(zone.dayOf(Math.min(from + (now - begun), begun - 1)));
  return accountId === undefined ? chargedInEnded(db, { from, to }, now) : chargedIn(db, { from, to }, accountId);
}

/** A period of daily sums: all days that begin in the period. */
interface ChargedDays {
  from: number;
  to: number;
}

/**
 * Milliseconds after a day's end within which the journal may still add to its sum, unless the journal is far behind.
 */
const lateBy = 60 * 60_000;
/** Milliseconds after which we read the sums of ended days again, in case the journal was far behind. */
const readEvery = 10 * 60_000;
const endedDays = new WeakMap<Db, Map<string, Promise<ReadonlyMap<string, number>>>>();

/** Caches sums of ended days: for all accounts these are hundreds of thousands of rows, and few of them ever change. */
async function chargedInEnded(db: Db, days: ChargedDays, now: number): Promise<ReadonlyMap<string, number>> {
  if (days.to < days.from) return new Map();
  const known = endedDays.get(db) ?? new Map();
  endedDays.set(db, known);
  const key = `${days.from} ${days.to} ${await rebuildCount(db)} ${Math.floor(now / readEvery)}`;
  if (!known.has(key)) {
    if (known.size >= 4) known.clear();
    known.set(key, chargedIn(db, days));
    known.get(key)!.catch(() => known.delete(key));
  }
  return known.get(key)!;
}

async function chargedIn(db: Db, { from, to }: ChargedDays, accountId?: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("verification_sum")
    // PostgreSQL returns a sum as text.
    .select(["account_id", sql<number | string>`sum(charged_kobo)`.as("kobo")])
    .where("span", "=", "day")
    .where("begins_at", ">=", from)
    .where("begins_at", "<=", to)
    .where("mode", "=", "live")
    .$if(accountId !== undefined, (query) => query.where("account_id", "=", accountId!))
    .groupBy("account_id")
    .execute();
  return new Map(rows.map(({ account_id, kobo }) => [account_id, Number(kobo)]));
}

function changed(terms: AccountTerms, change: TermsChange): AccountTerms {
  return Object.fromEntries(Object.entries({ ...terms, ...change }).filter(([, value]) => value !== null));
}

/** Returns terms for the audit trail. Null: the service's own apply, or there are none. */
function factsOf(terms: AccountTerms) {
  const { verification, inFlight = null, negatives, capKobo, capCount = null, prepaid = false } = terms;
  return {
    limit_verification: verification ? limitText(verification) : null,
    limit_in_flight: inFlight,
    limit_negatives: negatives ? limitText(negatives) : null,
    cap_naira: capKobo === undefined ? null : nairaOf(capKobo),
    cap_count: capCount,
    prepaid,
  };
}

/** A limit as people write it, such as `60/min`. */
export function limitText({ count, seconds }: NonNullable<AccountTerms["verification"]>): string {
  return `${count}/${{ 1: "s", 60: "min", 3600: "h", 86400: "day" }[seconds]}`;
}

/**
 * Creates the row of a period if the row is missing, and locks the row until the transaction ends. Verifications that
 * charge this period wait meanwhile.
 */
async function openPeriod(trx: Db, account_id: string, period: string, most_kobo: 0 | null): Promise<void> {
  await trx
    .insertInto("spending")
    .values({ account_id, period, kobo: 0, verifications: 0, most_kobo, most_verifications: null })
    .onConflict((conflict) =>
      conflict.columns(["account_id", "period"]).doUpdateSet((row) => ({ kobo: row.ref("spending.kobo") })),
    )
    .execute();
}

/**
 * A verification is charged a day after it began at the latest, when its idempotency key ends. This is twice that time,
 * in milliseconds.
 */
const latestCharge = 2 * 24 * 60 * 60_000;

/** Counts the account's charges in this month, and its running verifications that count against the month. */
async function countMonth(trx: Db, accountId: string, zone: TimeZone, now: number): Promise<void> {
  const period = zone.monthOf(now);
  await openPeriod(trx, accountId, period, null);
  const start = zone.startOfMonth(period);
  const { rows } = await sql<{ kobo: number; verifications: number }>`
    select coalesce(sum(fee), 0) as kobo, count(*) as verifications from verification
    where account_id = ${accountId} and mode = 'live' and created_at >= ${start - latestCharge}
      and ((spends = ${period} and (state = 'started' or charged = 1))
        or (spends is null and charged = 1 and charged_at >= ${start}))`.execute(trx);
  await trx
    .updateTable("spending")
    // The account may have spent more than the new cap allows, so we do not write the cap here. The next verification
    // does.
    .set({ ...rows[0]!, most_kobo: null, most_verifications: null })
    .where("account_id", "=", accountId)
    .where("period", "=", period)
    .execute();
}
