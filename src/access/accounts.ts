import type { Kysely } from "kysely";
import type { AccountRow, Tables } from "../storage/tables.ts";
import { AccessFault } from "./access-fault.ts";
import { randomBase62 } from "./base62.ts";

export interface Account {
  id: string;
  name: string;
  /** In lower case: e-mail addresses are compared without case. */
  email: string;
  /** Milliseconds since 1970. */
  createdAt: number;
}

/** Creates an account. Throws an `AccessFault` for an empty name, a bad e-mail or one that is taken. */
export async function createAccount(
  db: Kysely<Tables>,
  { name, email }: { name: string; email: string },
  now: number = Date.now(),
): Promise<Account> {
  if (name.trim() === "") throw new AccessFault("An account needs a name.");
  // A colon would end the user name of HTTP Basic.
  if (!/^[^\s@:]+@[^\s@:]+$/.test(email)) throw new AccessFault(`"${email}" is not an e-mail address.`);
  const row: AccountRow = {
    id: `acc_${randomBase62(12)}`,
    name: name.trim(),
    email: email.toLowerCase(),
    created_at: now,
  };
  const inserted = await db
    .insertInto("account")
    .values(row)
    .onConflict((it) => it.column("email").doNothing())
    .returning("id")
    .executeTakeFirst();
  if (!inserted) throw new AccessFault(`Another account has the e-mail ${row.email}.`);
  return accountOf(row);
}

/** All accounts, oldest first. */
export async function listAccounts(db: Kysely<Tables>): Promise<Account[]> {
  const rows = await db.selectFrom("account").selectAll().orderBy("created_at").orderBy("id").execute();
  return rows.map(accountOf);
}

/** The account with this id or e-mail. Throws an `AccessFault` if there is none. */
export async function findAccount(db: Kysely<Tables>, idOrEmail: string): Promise<Account> {
  const row = await db
    .selectFrom("account")
    .selectAll()
    .where((it) => it.or([it("id", "=", idOrEmail), it("email", "=", idOrEmail.toLowerCase())]))
    .executeTakeFirst();
  if (!row) throw new AccessFault(`No account has the id or e-mail "${idOrEmail}".`);
  return accountOf(row);
}

function accountOf(row: AccountRow): Account {
  return { id: row.id, name: row.name, email: row.email, createdAt: row.created_at };
}
