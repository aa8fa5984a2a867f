import { accessTrail } from "../../declare/access-trail.ts";
import type { AccountTerms } from "../../declare/account-terms.ts";
import type { AuditEvent } from "../../declare/audit-kind.ts";
import { type CheckKind, feeName, forEachKind, type OwnFees } from "../../declare/check-kind.ts";
import { isIdOrEmail } from "../../declare/fields.ts";
import { nairaOf } from "../../declare/money.ts";
import type { Answers } from "../../declare/operation.ts";
import { type Audited, inTransaction } from "../../storage/audited.ts";
import { noteChange } from "../../storage/change-counter.ts";
import { renewDeliveries } from "../../storage/events/served-endpoints.ts";
import { pagesOf } from "../../storage/queries/pieces.ts";
import { insertIfNew } from "../../storage/queries/upsert.ts";
import type { AccountRow, Db } from "../../storage/tables.ts";
import { AccessError } from "../access-error.ts";
import { randomBase62 } from "../secrets.ts";

/**
 * `email`: in lower case, because addresses are compared without case. `suspended_at`: null while the account's keys
 * work.
 */
export type Account = ReturnType<typeof accountOf>;

/** New values for an account. An absent member does not change. */
export interface AccountChange {
  name?: string;
  email?: string;
  /** Kobo by kind; null: the service's own fee. An absent kind does not change. */
  fees?: Partial<Record<CheckKind, number | null>>;
  answers?: Answers;
  /** Address and tax number on the account's statements; null removes one. */
  address?: string | null;
  tax_number?: string | null;
}

/** Creates an account. Throws an `AccessError` for an empty name, a bad e-mail or one that is taken. */
export async function createAccount(
  { db, audit, actor }: Audited,
  {
    name,
    email,
    fees = {},
    answers = "full",
    terms = {},
    address = null,
    tax_number = null,
  }: AccountChange & {
    name: string;
    email: string;
    terms?: AccountTerms;
  },
  now: number = Date.now(),
): Promise<Account> {
  const row: AccountRow = {
    id: `acc_${randomBase62(12)}`,
    name: nameOf(name),
    email: emailOf(email),
    created_at: now,
    suspended_at: null,
    fees: changedFees({}, fees),
    answers,
    terms: JSON.stringify(terms),
    address,
    tax_number,
  };
  return inTransaction(db, async (trx) => {
    if (!(await insertIfNew(trx, "account", { email: row.email }, row))) throw taken(row.email);
    const account = accountOf(row);
    await audit(trx, accessTrail.accountCreated(actor, { account: row.id, ...termsOf(account) }));
    return account;
  });
}

/**
 * Changes the account that `findAccount` finds. Throws an `AccessError` if there is none, or for an empty name, a bad
 * e-mail or one that is taken.
 */
export async function changeAccount(store: Audited, idOrEmail: string, changes: AccountChange): Promise<Account> {
  const { name, email, fees, answers, address, tax_number } = changes;
  const change = (account: Account) => ({
    ...(name === undefined ? {} : { name: nameOf(name) }),
    ...(email === undefined ? {} : { email: emailOf(email) }),
    ...(fees === undefined ? {} : { fees: changedFees(account.fees, fees) }),
    ...(answers === undefined ? {} : { answers }),
    ...(address === undefined ? {} : { address }),
    ...(tax_number === undefined ? {} : { tax_number }),
  });
  const changed = Object.keys(changes).join(" ");
  return updateAccount(store, idOrEmail, change, (account) =>
    accessTrail.accountChanged(store.actor, { account: account.id, changed, ...termsOf(account) }),
  );
}

/**
 * Disables every key and token of an account, and holds its events back, until the account is resumed. A second
 * suspension keeps the time of the first. Throws an `AccessError` if there is no such account.
 */
export async function suspendAccount(store: Audited, idOrEmail: string, now: number = Date.now()): Promise<Account> {
  const { suspended_at } = await findAccount(store.db, idOrEmail);
  return updateAccount(store, idOrEmail, { suspended_at: suspended_at ?? now }, ({ id }) =>
    accessTrail.accountSuspended(store.actor, { account: id }),
  );
}

/**
 * Ends a suspension, after which the account's events are delivered again. Throws an `AccessError` if there is no such
 * account.
 */
export async function resumeAccount(store: Audited, idOrEmail: string, now: number = Date.now()): Promise<Account> {
  return inTransaction(store.db, async (trx) => {
    const { suspended_at } = await findAccount(trx, idOrEmail);
    const account = await updateAccount({ ...store, db: trx }, idOrEmail, { suspended_at: null }, ({ id }) =>
      accessTrail.accountResumed(store.actor, { account: id }),
    );
    if (suspended_at !== null) await renewDeliveries(trx, account.id, now);
    return account;
  });
}

/** All accounts, oldest first. */
export async function listAccounts(db: Db): Promise<Account[]> {
  const rows = await db.selectFrom("account").selectAll().orderBy("created_at").orderBy("id").execute();
  return rows.map(accountOf);
}

/** The number of rows in one page. After each page, other work gets its turn. */
export const readAtOnce = 1_000;

/**
 * Returns at most `most` accounts with this id, or with the text in their name or e-mail (case does not matter), oldest
 * first. We compare in this process: the text may name a person, and must not appear in the store's log of statements.
 */
export async function accountsLike(db: Db, text: string, most: number) {
  const has = (whole: string) => whole.toLowerCase().includes(text.toLowerCase());
  const found = [];
  const columns = db.selectFrom("account").select(["id", "name", "email", "created_at", "suspended_at"]);
  // An empty text matches every account, so one page of `most` rows is enough.
  for await (const rows of pagesOf(columns, ["id"], text === "" ? most : readAtOnce)) {
    found.push(...rows.filter(({ id, name, email }) => id === text || has(name) || has(email)));
    if (found.length >= most) break;
  }
  return found.slice(0, most).sort((one, other) => one.created_at - other.created_at);
}

/**
 * The account with this id or e-mail, or the only one with this name. Throws an `AccessError` if there is none, or
 * several have the name.
 */
export async function findAccount(db: Db, named: string): Promise<Account> {
  const known = isIdOrEmail(named)
    ? await db
        .selectFrom("account")
        .selectAll()
        .where((it) => it.or([it("id", "=", named), it("email", "=", named.toLowerCase())]))
        .executeTakeFirst()
    : undefined;
  const rows = known ? [known] : await namedAccounts(db, named);
  const [row] = rows;
  if (!row) throw new AccessError(`No account has the id, e-mail or name "${named}".`);
  if (rows.length === 1) return accountOf(row);
  const emails = rows
    .map(({ email }) => email)
    .sort()
    .join(", ");
  throw new AccessError(`${rows.length} accounts have the name "${named}". Give an e-mail: ${emails}.`);
}

/**
 * Returns the accounts with this name; case does not matter. We compare in this process, so that no SQL statement holds
 * the name: it may be a person's.
 */
async function namedAccounts(db: Db, name: string): Promise<AccountRow[]> {
  const wanted = name.trim().toLowerCase();
  const found: AccountRow[] = [];
  for await (const rows of pagesOf(db.selectFrom("account").selectAll(), ["id"], readAtOnce))
    found.push(...rows.filter((row) => row.name.trim().toLowerCase() === wanted));
  return found;
}

/**
 * Changes columns of an account, and records the change on the audit trail. Throws an `AccessError` if there is no such
 * account.
 */
export async function updateAccount(
  { db, audit }: Audited,
  idOrEmail: string,
  change: Partial<AccountRow> | ((account: Account) => Partial<AccountRow>),
  eventOf: (account: Account) => AuditEvent,
): Promise<Account> {
  return inTransaction(db, async (trx) => {
    await noteChange(trx, "access");
    const before = await findAccount(trx, idOrEmail);
    const { id } = before;
    const columns = typeof change === "function" ? change(before) : change;
    if (columns.email !== undefined && columns.email !== before.email && (await hasEmail(trx, columns.email)))
      throw taken(columns.email);
    if (Object.keys(columns).length > 0) await trx.updateTable("account").set(columns).where("id", "=", id).execute();
    const account = await findAccount(trx, id);
    await audit(trx, eventOf(account));
    return account;
  });
}

/** Returns an account's terms for the audit trail: fees in naira; null where the service's own apply. */
function termsOf({ fees, answers }: Account) {
  const fee = (kind: CheckKind) => (fees[kind] === undefined ? null : nairaOf(fees[kind]));
  return { ...forEachKind(feeName, fee), answers };
}

function changedFees(before: OwnFees, change: NonNullable<AccountChange["fees"]>): string {
  const fees = Object.entries({ ...before, ...change }).filter(([, fee]) => fee !== null);
  return JSON.stringify(Object.fromEntries(fees));
}

async function hasEmail(db: Db, email: string): Promise<boolean> {
  return (await db.selectFrom("account").select("id").where("email", "=", email).executeTakeFirst()) !== undefined;
}

function taken(email: string): AccessError {
  return new AccessError(`Another account has the e-mail ${email}.`);
}

/** Returns the e-mail in lower case. Refuses a colon, because a colon would end the user name of HTTP Basic. */
function emailOf(email: string): string {
  if (!/^[^\s@:]+@[^\s@:]+$/.test(email)) throw new AccessError(`"${email}" is not an e-mail address.`);
  return email.toLowerCase();
}

function nameOf(name: string): string {
  if (name.trim() === "") throw new AccessError("An account needs a name.");
  return name.trim();
}

function accountOf(row: AccountRow) {
  const [fees, terms] = [JSON.parse(row.fees) as OwnFees, JSON.parse(row.terms) as AccountTerms];
  return { ...row, fees, answers: row.answers as Answers, terms };
}
