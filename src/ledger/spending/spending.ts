import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import { balancePeriod, type Spendable } from "../../declare/account-terms.ts";
import { codeOf } from "../../storage/errors.ts";
import type { Changed } from "../../storage/queries/follow-ups.ts";
import type { Input } from "../../storage/queries/shared-input.ts";
import type { Db, Tables, VerificationRow } from "../../storage/tables.ts";
import { type Budget, type BudgetKind, kindOf } from "./budget.ts";
import { type SpendingFailure, spendingFailureOf } from "./spending-failure.ts";

/**
 * The use of a cap or a balance by verifications. If a ledger row names a period in `spends`, that period's row of
 * `spending` contains the row's fee while the verification runs and as long as it is charged. Both rows change in one
 * statement or transaction.
 */

/** The columns of the changed ledger row that `take` and `giveBack` need. */
export const spendingColumns = ["reference", "account_id", "spends", "fee"] as const;

const isThisVerification = (reference: string) =>
  expressionBuilder<Tables, "verification">()("verification.reference", "=", reference);

/**
 * The statement by which the rows in `changed` take their fees. The store rejects a statement that a budget does not
 * cover: see `isTooMuch`. With `input` there is a row per call, and a budget changes once, by the sum of its calls.
 */
export function take(
  db: Db,
  changed: Changed,
  { reference, most_kobo, most_verifications }: Omit<Budget, "period"> & { reference: string },
  kind: BudgetKind,
  input?: Input,
) {
  // Calls of one account differ in their maxima only while its terms change: then the stricter ones hold.
  const sums = {
    kobo: sql<number>`sum(${sql.ref("fee")})`,
    verifications: sql<number>`count(*)`,
    most_kobo: sql<number | null>`min(${most_kobo})`,
    most_verifications: sql<number | null>`min(${most_verifications})`,
  };
  const own: typeof sums = {
    kobo: sql.ref<number>("fee"),
    verifications: sql.lit<number>(1),
    most_kobo: sql.val(most_kobo),
    most_verifications: sql.val(most_verifications),
  };
  const taken = input ? sums : own;
  return db
    .insertInto("spending")
    .columns(["account_id", "period", "kobo", "verifications", "most_kobo", "most_verifications"])
    .expression((insert) =>
      insert
        .selectFrom(changed)
        .select((row) => [
          "account_id",
          row.ref("spends").$notNull().as("period"),
          taken.kobo.as("kobo"),
          taken.verifications.as("verifications"),
          taken.most_kobo.as("most_kobo"),
          taken.most_verifications.as("most_verifications"),
        ])
        .where(isThisVerification(reference))
        // All statements lock the rows of several budgets in one order, so that they cannot deadlock.
        .$if(input !== undefined, (query) =>
          query.groupBy(["account_id", "spends"]).orderBy("account_id").orderBy("spends"),
        ),
    )
    .onConflict((conflict) =>
      conflict.columns(["account_id", "period"]).doUpdateSet((row) => ({
        kobo: row("spending.kobo", "+", row.ref("excluded.kobo")),
        verifications: row("spending.verifications", "+", row.ref("excluded.verifications")),
        // For a balance, the row itself holds the sum of top-ups.
        ...(kind === "cap"
          ? {
              most_kobo: row.ref("excluded.most_kobo"),
              most_verifications: row.ref("excluded.most_verifications"),
            }
          : {}),
      })),
    );
}

/** The statement by which a row in `changed` gives back the fee that it took. */
export function giveBack(db: Db, changed: Changed, reference: string) {
  return db
    .updateTable("spending")
    .from(changed)
    .set((row) => ({
      kobo: row("spending.kobo", "-", row.ref("verification.fee")),
      verifications: row("spending.verifications", "-", 1),
    }))
    .where(isThisVerification(reference))
    .whereRef("spending.account_id", "=", "verification.account_id")
    .whereRef("spending.period", "=", "verification.spends");
}

/** Lowers the balance of a prepaid account. False if the balance is too low. */
export async function lowerBalance(db: Db, accountId: string, kobo: number): Promise<boolean> {
  const lowered = await db
    .updateTable("spending")
    .set((row) => ({ most_kobo: row("most_kobo", "-", kobo) }))
    .where("account_id", "=", accountId)
    .where("period", "=", balancePeriod)
    .where((row) => row(row("most_kobo", "-", kobo), ">=", row.ref("kobo")))
    .returning("period")
    .executeTakeFirst();
  return lowered !== undefined;
}

/** The rest of the balance of a prepaid account, in kobo. */
export async function balanceOf(db: Db, accountId: string): Promise<number> {
  const row = await db
    .selectFrom("spending")
    .select(["kobo", "most_kobo"])
    .where("account_id", "=", accountId)
    .where("period", "=", balancePeriod)
    .executeTakeFirst();
  return row ? row.most_kobo! - row.kobo : 0;
}

/**
 * Whether an account can pay for a verification. This check refuses most verifications for which the account cannot
 * pay. Concurrent verifications may take their fees meanwhile, so `take` decides.
 */
export function hasEnough(
  { account_id, fee, period, most_kobo, most_verifications }: Budget & Pick<VerificationRow, "account_id" | "fee">,
  kind: BudgetKind,
): Expression<SqlBool> {
  const { exists, not, selectFrom } = expressionBuilder<Tables, never>();
  const spent = selectFrom("spending")
    .select("spending.period")
    .where("spending.account_id", "=", account_id)
    .where("spending.period", "=", period);
  if (kind === "balance")
    return exists(spent.where((row) => row(row("spending.kobo", "+", fee), "<=", row.ref("spending.most_kobo"))));
  return not(
    exists(
      spent.where((row) =>
        row.or([
          row(row("spending.kobo", "+", fee), ">", most_kobo),
          row("spending.verifications", ">=", most_verifications),
        ]),
      ),
    ),
  );
}

/** Whether the store rejected a statement because it exceeds the budget. */
export function isTooMuch(error: unknown): boolean {
  const code = codeOf(error);
  return code === "23514" || code === "SQLITE_CONSTRAINT_CHECK";
}

/** Returns no rows for an error of `isTooMuch`, and rethrows any other error. */
export function noneIfTooMuch(error: unknown): [] {
  if (isTooMuch(error)) return [];
  throw error;
}

/** Why an account cannot pay for a verification; undefined if it can by now. */
export async function spendingFailure(
  db: Db,
  budget: Budget,
  { account_id, fee }: Pick<VerificationRow, "account_id" | "fee">,
): Promise<SpendingFailure | undefined> {
  return spendingFailureOf(budget, await spentIn(db, account_id, budget), fee);
}

/** What an account can still spend. */
export async function spendableOf(db: Db, accountId: string, budget: Budget): Promise<Spendable> {
  const spent = await spentIn(db, accountId, budget);
  const left = (most: number | null, used: number) => (most === null ? null : Math.max(0, most - used));
  if (kindOf(budget) === "balance") return { kobo: left(spent.most_kobo ?? 0, spent.kobo), verifications: null };
  return {
    kobo: left(budget.most_kobo, spent.kobo),
    verifications: left(budget.most_verifications, spent.verifications),
  };
}

/** An account's spending from a budget in its period. */
export async function spentIn(db: Db, accountId: string, { period }: Budget) {
  const spent = await db
    .selectFrom("spending")
    .select(["kobo", "verifications", "most_kobo"])
    .where("account_id", "=", accountId)
    .where("period", "=", period)
    .executeTakeFirst();
  return spent ?? { kobo: 0, verifications: 0, most_kobo: 0 };
}
