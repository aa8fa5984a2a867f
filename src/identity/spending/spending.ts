import { type Expression, expressionBuilder, type Kysely, type SqlBool } from "kysely";
import { balancePeriod } from "../../operation/account-terms.ts";
import { codeOf } from "../../storage/errors.ts";
import type { Changed } from "../../storage/queries/followed.ts";
import type { Tables, VerificationRow } from "../../storage/tables.ts";
import { type Budget, type BudgetKind, kindOf } from "./budget.ts";
import { type SpendingError, spendingErrorOf } from "./spending-error.ts";

/**
 * What verifications take from a cap or a balance. A row of the ledger that names a period in `spends` has its fee in that
 * period's row of `spending` while it runs, and for as long as it is charged. Both rows change in one statement or transaction.
 */

/** What `take` and `giveBack` need of the changed ledger row. */
export const spendingColumns = ["reference", "account_id", "spends", "fee"] as const;

const isThisVerification = (reference: string) =>
  expressionBuilder<Tables, "verification">()("verification.reference", "=", reference);

/** The statement with which a ledger row that `changed` takes its fee. The store refuses more than the budget: see `isTooMuch`. */
export function take(
  db: Kysely<Tables>,
  changed: Changed,
  { reference, most_kobo, most_verifications }: Omit<Budget, "period"> & { reference: string },
  kind: BudgetKind,
) {
  return db
    .insertInto("spending")
    .columns(["account_id", "period", "kobo", "verifications", "most_kobo", "most_verifications"])
    .expression((insert) =>
      insert
        .selectFrom(changed)
        .select((row) => [
          "account_id",
          row.ref("spends").$notNull().as("period"),
          "fee as kobo",
          row.lit(1).as("verifications"),
          row.val(most_kobo).as("most_kobo"),
          row.val(most_verifications).as("most_verifications"),
        ])
        .where(isThisVerification(reference)),
    )
    .onConflict((conflict) =>
      conflict.columns(["account_id", "period"]).doUpdateSet((row) => ({
        kobo: row("spending.kobo", "+", row.ref("excluded.kobo")),
        verifications: row("spending.verifications", "+", 1),
        // What was topped up is the row's own.
        ...(kind === "cap"
          ? {
              most_kobo: row.ref("excluded.most_kobo"),
              most_verifications: row.ref("excluded.most_verifications"),
            }
          : {}),
      })),
    );
}

/** The statement with which a ledger row that `changed` gives back what it took. */
export function giveBack(db: Kysely<Tables>, changed: Changed, reference: string) {
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

/** Lowers the balance of a prepaid account. False if it has less than that. */
export async function lowerBalance(db: Kysely<Tables>, accountId: string, kobo: number): Promise<boolean> {
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

/**
 * Whether an account has enough for a verification. Other verifications may take their fees at the same moment, so `take` decides.
 * This check refuses most verifications before `take` has to.
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

/** Whether the store refused a statement because it takes more than the budget. */
export function isTooMuch(error: unknown): boolean {
  const code = codeOf(error);
  return code === "23514" || code === "SQLITE_CONSTRAINT_CHECK";
}

/** No rows, in place of such a refusal. */
export function noneIfTooMuch(error: unknown): [] {
  if (isTooMuch(error)) return [];
  throw error;
}

/** Why an account has not enough for a verification; undefined if it has by now. */
export async function spendingError(
  db: Kysely<Tables>,
  budget: Budget,
  { account_id, fee }: Pick<VerificationRow, "account_id" | "fee">,
): Promise<SpendingError | undefined> {
  return spendingErrorOf(budget, await spentIn(db, account_id, budget), fee);
}

/** Kobo that an account can still spend; undefined if nothing in naira bounds it. */
export async function spendableKobo(
  db: Kysely<Tables>,
  accountId: string,
  budget: Budget | undefined,
): Promise<number | undefined> {
  if (budget === undefined) return undefined;
  const isBalance = kindOf(budget) === "balance";
  if (!isBalance && budget.most_kobo === null) return undefined;
  const spent = await spentIn(db, accountId, budget);
  const most = isBalance ? spent.most_kobo : budget.most_kobo;
  return Math.max(0, (most ?? 0) - spent.kobo);
}

async function spentIn(db: Kysely<Tables>, accountId: string, { period }: Budget) {
  const spent = await db
    .selectFrom("spending")
    .select(["kobo", "verifications", "most_kobo"])
    .where("account_id", "=", accountId)
    .where("period", "=", period)
    .executeTakeFirst();
  return spent ?? { kobo: 0, verifications: 0, most_kobo: 0 };
}
