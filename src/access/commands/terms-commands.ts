import { checkKinds, feeName } from "../../operation/check-kind.ts";
import {
  account as accountFact,
  naira,
  orNull,
  type Showing,
  state,
  time,
  yes,
} from "../../operation/command/answer-schema.ts";
import { amount, remark } from "../../operation/command/forms.ts";
import { flag, formed, InputError } from "../../operation/command/read-texts.ts";
import { command, groupCounts } from "../../operation/command.ts";
import { nairaText, waitsText } from "../../operation/money.ts";
import Type, { type Static } from "../../operation/schema/type.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import { type Audited, inTransaction, type WithClock } from "../../storage/audited.ts";
import * as accounts from "../accounts/accounts.ts";
import { type AccountSpending, chargedThisMonth, limitText, spendingOf, topUp } from "../accounts/terms.ts";
import { AccountFacts, accountMember as account, accountFactsOf } from "./account-commands.ts";

/** What the audit trail says about an account. */
interface WithNotes {
  suspendedBy(id: string, at: number): Promise<string | undefined>;
  auditEntries(id: string): Promise<readonly { occurred_at: number; kind: string; actor: string; facts: string }[]>;
}

/** Terms count in the months of the service's time zone. */
export interface Room extends Audited, WithClock {
  config: { timeZone: TimeZone };
}

export const TermsFacts = Type.Object({
  ...AccountFacts.properties,
  prepaid: { ...yes, label: "Pays" },
  balance: orNull({ ...naira, headline: {} }),
  cap_naira: orNull(naira),
  spent_naira: { ...naira, headline: {}, meterOf: "cap_naira" },
  cap_count: orNull(Type.Integer()),
  spent_count: orNull(Type.Integer({ headline: {}, meterOf: "cap_count" })),
  limit_verification: orNull(Type.String({ none: "default" })),
  limit_in_flight: orNull(Type.Integer({ none: "default" })),
  limit_negatives: orNull(Type.String({ none: "default" })),
  /** Last use of any of its keys, to within a minute. */
  last_used_at: orNull({ ...time, none: "never" }),
});

const ListedFacts = Type.Object({
  ...TermsFacts.properties,
  state: state(["active", "near_the_cap", "balance_low", "suspended"], { by: "suspended_by", since: "suspended_at" }),
});
type ListedFacts = Static<typeof ListedFacts>;

/** What a list of accounts can be of. */
const groups = {
  near_the_cap: ({ state }) => state === "near_the_cap",
  balance_low: ({ state }) => state === "balance_low",
  prepaid: ({ prepaid }) => Boolean(prepaid),
  suspended: ({ state }) => state === "suspended",
  never_used: ({ last_used_at }) => last_used_at === null,
} satisfies Record<string, (account: ListedFacts) => boolean>;
type Group = keyof typeof groups;

/** The ids of the accounts that have used most of a cap or a balance. */
interface WithNearlySpent {
  nearlySpent(): Promise<ReadonlySet<string>>;
}

/** How much of a cap is used, where there is one. */
const capColumn = (cap: "cap_naira" | "cap_count", spent: "spent_naira" | "spent_count", label: string) => {
  const as: Showing = { label, meterOf: cap, also: true };
  return {
    name: cap,
    of: (account: ListedFacts) => (account[cap] === null ? null : account[spent]),
    as: cap === "cap_naira" ? { ...naira, ...as } : Type.Integer({ ...as }),
  };
};

const listAccounts = command({
  id: "accounts.list",
  title: "Accounts",
  summary: "List all accounts, oldest first.",
  description:
    "What is spent is what the live verifications of this month charged. Of an account with a cap those that run count too.",
  role: "viewer",
  kind: "read",
  input: Type.Object({
    only: Type.Optional(Type.Enum(Object.keys(groups) as Group[], { description: "Only these accounts." })),
  }),
  answer: Type.Array(ListedFacts),
  page: [
    ...(["name", { name: "email", spare: true }, "state"] as const),
    { name: "spent_naira", of: ({ spent_naira }) => spent_naira, as: { ...naira, sums: true } },
    capColumn("cap_naira", "spent_naira", "Monthly cap"),
    capColumn("cap_count", "spent_count", "Cap of verifications"),
    ...(["balance", "last_used_at"] as const),
  ],
  none: "No account yet.",
  noneThen: { says: "Each client has one, with keys and terms of its own.", by: "accounts.create" },
  choiceCounts: async (_, room: Room & WithNearlySpent) => groupCounts(groups, await listed(room)),
  figures: (all) => {
    const spent = nairaText(all.reduce((sum, { spent_naira }) => sum + spent_naira, 0));
    const near = all.filter(({ state }) => state === "near_the_cap" || state === "balance_low").length;
    return `${all.length} ${all.length === 1 ? "account" : "accounts"}, ${spent} charged this month${near > 0 ? `, ${near} with 80 % of a cap or balance used` : ""}.`;
  },
  sort: "-spent_naira",
  columns: [
    ...(["id", "name", "email", "suspended_at"] as const),
    ...checkKinds.map(feeName),
    ...(["limit_verification", "balance"] as const),
    { name: "spent", of: spentText },
    ...(["created_at", "last_used_at"] as const),
  ],
  examples: [{}, { only: "near_the_cap" }],
  run: async ({ only }, room: Room & WithNearlySpent) => {
    const all = await listed(room, await chargedThisMonth(room.db, room.config.timeZone, room.now()));
    return only === undefined ? all : all.filter(groups[only]);
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
    ...ListedFacts.properties,
    suspended_by: orNull(accountFact),
    notes: Type.Array(Type.Object({ at: time, by: accountFact, note: Type.String() })),
  }),
  view: ({ notes, ...facts }) => [
    { record: facts },
    ...(notes.length > 0 ? ["", { title: "Notes:", list: "notes" }] : []),
  ],
  examples: [{ account: "shop@example.com" }],
  run: async ({ account }, room: Room & WithNotes & WithNearlySpent) => {
    const found = await accounts.findAccount(room.db, account);
    const entries = (await room.auditEntries(found.id)).filter(({ kind }) => kind === "account.noted");
    const { id, suspended_at: since } = found;
    return {
      ...withState(await allTermsOf(room, found), await room.nearlySpent()),
      suspended_by: since === null ? null : ((await room.suspendedBy(id, since)) ?? null),
      notes: entries.map(({ occurred_at, actor, facts }) => ({
        at: occurred_at,
        by: actor,
        note: noteIn(facts),
      })),
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
  const [spentBy, usedAt, charged] = await Promise.all([
    spendingOf(db, [account], config.timeZone, now()),
    usesOf(db, account.id),
    chargedThisMonth(db, config.timeZone, now()),
  ]);
  return allFactsOf(account, spentBy(account), usedAt, charged);
}

/** All accounts. `charged`: what this month charged those without a cap. */
async function listed(
  { db, config, now, nearlySpent }: Room & WithNearlySpent,
  charged: ReadonlyMap<string, number> = new Map(),
): Promise<ListedFacts[]> {
  const all = await accounts.listAccounts(db);
  const [spentBy, usedAt, spent] = await Promise.all([
    spendingOf(db, all, config.timeZone, now()),
    usesOf(db),
    nearlySpent(),
  ]);
  return all.map((account) => withState(allFactsOf(account, spentBy(account), usedAt, charged), spent));
}

function withState(facts: Static<typeof TermsFacts>, nearlySpent: ReadonlySet<string>): ListedFacts {
  const nearly = facts.prepaid ? "balance_low" : "near_the_cap";
  const used = nearlySpent.has(facts.id) ? nearly : "active";
  return { ...facts, state: facts.suspended_at === null ? used : "suspended" };
}

/** When each account, or this one, was last seen, by its id. */
async function usesOf(db: Audited["db"], account?: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("key_use")
    .innerJoin("api_key", "api_key.id", "key_use.key_id")
    .select(["account_id", ({ fn }) => fn.max("used_at").as("at")])
    .$if(account !== undefined, (query) => query.where("account_id", "=", account!))
    .groupBy("account_id")
    .execute();
  return new Map(rows.map(({ account_id, at }) => [account_id, Number(at)]));
}

function allFactsOf(
  account: accounts.Account,
  { month, balance }: AccountSpending,
  usedAt: ReadonlyMap<string, number>,
  charged: ReadonlyMap<string, number>,
) {
  const { verification, inFlight, negatives, capKobo, capCount, prepaid } = account.terms;
  return {
    ...accountFactsOf(account),
    prepaid: prepaid === true,
    balance,
    cap_naira: capKobo ?? null,
    spent_naira: month?.kobo ?? charged.get(account.id) ?? 0,
    cap_count: capCount ?? null,
    spent_count: month?.verifications ?? null,
    limit_verification: verification ? limitText(verification) : null,
    limit_in_flight: inFlight ?? null,
    limit_negatives: negatives ? limitText(negatives) : null,
    last_used_at: usedAt.get(account.id) ?? null,
  };
}

/** What was spent, of the cap if there is one. */
function spentText({ cap_naira, cap_count, spent_naira, spent_count }: Static<typeof TermsFacts>): string {
  if (cap_naira !== null) return `${nairaText(spent_naira)} of ${nairaText(cap_naira)}`;
  return cap_count === null ? nairaText(spent_naira) : `${spent_count} of ${cap_count}`;
}
