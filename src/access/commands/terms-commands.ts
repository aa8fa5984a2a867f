import type { Static } from "typebox";
import { checkKinds, feeName } from "../../operation/check-kind.ts";
import { account as accountFact, naira, orNull, state, time, yes } from "../../operation/command/answer-schema.ts";
import { amount, remark } from "../../operation/command/forms.ts";
import { flag, formed, InputError } from "../../operation/command/read-texts.ts";
import { command } from "../../operation/command.ts";
import { nairaText, waitsText } from "../../operation/money.ts";
import Type from "../../operation/schema/type.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import { type Audited, inTransaction, type WithClock } from "../../storage/audited.ts";
import * as accounts from "../accounts/accounts.ts";
import { type AccountSpending, limitText, spendingOf, topUp } from "../accounts/terms.ts";
import { lastUses } from "../keys/key-uses.ts";
import { listKeys } from "../keys/keys.ts";
import { AccountFacts, accountMember as account, accountFactsOf } from "./account-commands.ts";

/** The entries of the audit trail about an account. */
interface WithNotes {
  auditEntries(id: string): Promise<readonly { occurredAt: number; kind: string; actor: string; facts: string }[]>;
}

/** Terms count in the months of the service's time zone. */
export interface Room extends Audited, WithClock {
  config: { timeZone: TimeZone };
}

export const TermsFacts = Type.Object({
  ...AccountFacts.properties,
  prepaid: yes,
  balance: orNull({ ...naira, headline: {} }),
  cap_naira: orNull(naira),
  spent_naira: orNull({ ...naira, headline: {}, meterOf: "cap_naira" }),
  cap_count: orNull(Type.Integer()),
  spent_count: orNull(Type.Integer({ headline: {}, meterOf: "cap_count" })),
  limit_verification: orNull(Type.String({ none: "default" })),
  limit_in_flight: orNull(Type.Integer({ none: "default" })),
  limit_negatives: orNull(Type.String({ none: "default" })),
  /** Last use of any of its keys, to within a minute. */
  last_used_at: orNull({ ...time, none: "never" }),
});

const listAccounts = command({
  id: "accounts.list",
  title: "Accounts",
  summary: "List all accounts, oldest first.",
  description: "What is spent counts the live verifications of this month, with those that run.",
  role: "viewer",
  kind: "read",
  input: Type.Object({}),
  answer: Type.Array(TermsFacts),
  page: [
    ...(["name", { name: "email", spare: true }] as const),
    { name: "state", of: stateOf, as: state(["active", "suspended"]) },
    "spent_naira",
    { name: "cap", of: capText, spare: true },
    ...(["balance", "last_used_at"] as const),
  ],
  none: "No account yet.",
  noneThen: { says: "Each client has one, with keys and terms of its own.", by: "accounts.create" },
  sort: "-spent_naira",
  columns: [
    ...(["id", "name", "email", "suspended_at"] as const),
    ...checkKinds.map(feeName),
    ...(["limit_verification", "balance"] as const),
    { name: "spent", of: spentText },
    ...(["created_at", "last_used_at"] as const),
  ],
  examples: [{}],
  run: async (_, { db, config, now }: Room) => {
    const all = await accounts.listAccounts(db);
    const [spentBy, usedAt] = await Promise.all([spendingOf(db, all, config.timeZone, now()), usesOf(db)]);
    return all.map((account) => allFactsOf(account, spentBy(account), usedAt));
  },
});

const showAccount = command({
  id: "accounts.show",
  title: "Account",
  summary: "Show an account with its terms, what it spent in this month, and its balance. Amounts are in naira.",
  role: "viewer",
  kind: "read",
  target: ["account"],
  input: Type.Object({ account }),
  answer: Type.Object({
    ...TermsFacts.properties,
    notes: Type.Array(Type.Object({ at: time, by: accountFact, note: Type.String() })),
  }),
  view: ({ notes, ...facts }) => [
    { record: facts },
    ...(notes.length > 0 ? ["", { title: "Notes:", list: "notes" }] : []),
  ],
  examples: [{ account: "shop@example.com" }],
  run: async ({ account }, room: Room & WithNotes) => {
    const found = await accounts.findAccount(room.db, account);
    const entries = (await room.auditEntries(found.id)).filter(({ kind }) => kind === "account.noted");
    return {
      ...(await allTermsOf(room, found)),
      notes: entries.map(({ occurredAt, actor, facts }) => ({ at: occurredAt, by: actor, note: noteIn(facts) })),
    };
  },
});

/** Whether the account may get this amount now. False: the request waits for a second person. */
interface WithTopUps {
  mayGive(trx: Audited["db"], money: { what: "top-up"; accountId: string; kobo: number }, sure: true): Promise<boolean>;
}

const topUpAccount = command({
  id: "accounts.top-up",
  title: "Top up…",
  fits: ({ prepaid }) => prepaid !== false,
  summary: "Add money to the balance of a prepaid account.",
  description:
    "A top-up never changes later. To correct one, take money back: the account then has two top-ups. With DUBA_FOUR_EYES on, a second person gives " +
    "what comes to more in a month than the account was charged in the last one.",
  role: "operator",
  kind: "change",
  gives: "money",
  target: ["account", "amount"],
  input: Type.Object({
    account,
    amount: formed(amount, { description: "Amount in naira.", placeholder: "naira" }),
    reason: formed(remark, {
      description: "What the money is, such as the number of a payment. Long numbers in it are not kept.",
      placeholder: "text",
    }),
    take_back: flag("Take the amount from the balance, to correct a top-up.", { folded: true }),
  }),
  answer: Type.Object({ ...TermsFacts.properties, waits: orNull(naira) }),
  view: ({ name, balance, prepaid, waits }) => {
    if (waits !== null) return [waitsText(waits)];
    return prepaid
      ? [`The balance of ${name} is ${nairaText(balance ?? 0)}.`]
      : [
          `The money is kept for ${name}.`,
          {
            note: "The account is not prepaid: it uses its balance after `duba accounts change <account> --prepaid on`.",
          },
        ];
  },
  records: ["account.topped_up", "money.requested"],
  examples: [
    { account: "shop@example.com", amount: "50000", reason: "transfer of 3 November" },
    { account: "shop@example.com", amount: "45000", reason: "one zero too many", take_back: true },
  ],
  effect: async ({ account: name, amount, take_back }, room: Room & WithTopUps) => {
    if (amount === 0) throw nothing();
    const account = await accounts.findAccount(room.db, name);
    const { balance, prepaid } = await allTermsOf(room, account);
    const says = [`${nairaText(amount)} ${take_back ? "is taken from" : "is added to"} the balance.`];
    if (!prepaid || balance === null)
      return { says: [...says, "The account is not prepaid: it uses its balance once it is."] };
    const after = balance + (take_back ? -amount : amount);
    return { says, moves: [{ what: "Balance", before: nairaText(balance), after: nairaText(after) }] };
  },
  run: async ({ account: name, amount, reason, take_back }, room: Room & WithTopUps) => {
    if (amount === 0) throw nothing();
    return inTransaction(room.db, async (trx) => {
      const { id } = await accounts.findAccount(trx, name);
      const money = { what: "top-up", accountId: id, kobo: amount } as const;
      const waits = !take_back && !(await room.mayGive(trx, money, true));
      const inside = { ...room, db: trx };
      if (!waits) await topUp(inside, id, { kobo: take_back ? -amount : amount, reason }, room.now());
      return { ...(await allTermsOf(inside, await accounts.findAccount(trx, id))), waits: waits ? amount : null };
    });
  },
});

const nothing = () => new InputError("The amount must be above 0.");

export const termsCommands = [listAccounts, showAccount, topUpAccount];

/** Another process may have changed the account since we read it. */
function noteIn(facts: string): string {
  const text = /,"note":("(?:[^"\\]|\\.)*")/.exec(facts)?.[1];
  return text === undefined ? "" : JSON.parse(text);
}

export async function allTermsOf({ db, config, now }: Room, account: accounts.Account) {
  const [spentBy, usedAt] = await Promise.all([spendingOf(db, [account], config.timeZone, now()), usesOf(db)]);
  return allFactsOf(account, spentBy(account), usedAt);
}

/** When each account was last seen, by its id. */
async function usesOf(db: Audited["db"]): Promise<ReadonlyMap<string, number>> {
  const [keys, uses] = await Promise.all([listKeys(db), lastUses(db)]);
  const usedAt = new Map<string, number>();
  for (const { id, accountId } of keys) {
    const at = uses.get(id)?.at;
    if (at !== undefined) usedAt.set(accountId, Math.max(at, usedAt.get(accountId) ?? 0));
  }
  return usedAt;
}

function allFactsOf(
  account: accounts.Account,
  { month, balance }: AccountSpending,
  usedAt: ReadonlyMap<string, number>,
) {
  const { verification, inFlight, negatives, capKobo, capCount, prepaid } = account.terms;
  return {
    ...accountFactsOf(account),
    prepaid: prepaid === true,
    balance,
    cap_naira: capKobo ?? null,
    spent_naira: month?.kobo ?? null,
    cap_count: capCount ?? null,
    spent_count: month?.verifications ?? null,
    limit_verification: verification ? limitText(verification) : null,
    limit_in_flight: inFlight ?? null,
    limit_negatives: negatives ? limitText(negatives) : null,
    last_used_at: usedAt.get(account.id) ?? null,
  };
}

/** The cap of a month; null without one. */
function capText({ cap_naira, cap_count }: Static<typeof TermsFacts>): string | null {
  if (cap_naira !== null) return nairaText(cap_naira);
  return cap_count === null ? null : `${cap_count.toLocaleString("en")} verifications`;
}

function stateOf({ suspended_at }: Pick<Static<typeof TermsFacts>, "suspended_at">) {
  return suspended_at === null ? "active" : "suspended";
}

/** What was spent of a cap; null without one. */
function spentText({ cap_naira, cap_count, spent_naira, spent_count }: Static<typeof TermsFacts>): string | null {
  if (cap_naira !== null) return `${nairaText(spent_naira ?? 0)} of ${nairaText(cap_naira)}`;
  return cap_count === null ? null : `${spent_count} of ${cap_count}`;
}
