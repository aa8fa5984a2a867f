import type { Transaction } from "kysely";
import type { AccountTerms } from "../../declare/account-terms.ts";
import { forEachKind } from "../../declare/check-kind.ts";
import type { Audited } from "../../storage/audited.ts";
import { lockCounter } from "../../storage/change-counter.ts";
import type { Tables } from "../../storage/tables.ts";
import { type Account, createAccount, findAccount } from "./accounts.ts";

const named = { name: "Operator", email: "operator@example.com" };

const attemptsADay: AccountTerms = { verification: { count: 20, seconds: 86_400 } };

/**
 * Returns the account for operators' own verifications, which pays nothing and has limits of its own. The first use
 * creates the account.
 */
export async function operatorAccount(
  store: Omit<Audited, "db"> & { db: Transaction<Tables> },
  now: number,
): Promise<Account> {
  // Two processes may make the account at the same moment.
  await lockCounter(store.db, "access");
  const known = await store.db.selectFrom("account").select("id").where("email", "=", named.email).executeTakeFirst();
  if (known) return findAccount(store.db, known.id);
  const fees = forEachKind(
    (kind) => kind,
    () => 0,
  );
  return createAccount(store, { ...named, fees, terms: attemptsADay }, now);
}
