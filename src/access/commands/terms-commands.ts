import { warnedPercent } from "../../declare/account-terms.ts";
import { checkKinds, feeName } from "../../declare/check-kind.ts";
import {
  account as accountFact,
  naira,
  orNull,
  type Part,
  type Showing,
  state,
  time,
  yes,
} from "../../declare/command/answer-schema.ts";
import { command, groupCounts } from "../../declare/command.ts";
import { nairaText } from "../../declare/money.ts";
import Type, { type Static } from "../../declare/schema/type.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import type { Audited, WithClock } from "../../storage/audited.ts";
import { markedEndpoints } from "../../storage/events/made-endpoints.ts";
import * as accounts from "../accounts/accounts.ts";
import { moneyMoves, moneyMovesOf } from "../accounts/money-moves.ts";
import { type AccountSpending, chargedLastMonth, chargedThisMonth, limitText, spendingOf } from "../accounts/terms.ts";
import { AccountFacts, accountMember as account, accountFactsOf } from "./account-commands.ts";
import { endpointFactsOf, endpointList, madeEndpoints } from "./endpoint-facts.ts";

/** Reads the audit trail's entries about an account. */
export interface WithNotes {
  suspendedBy(id: string, at: number): Promise<string | undefined>;
  auditEntries(id: string): Promise<readonly { occurred_at: number; kind: string; actor: string; facts: string }[]>;
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
  spent_naira: {
    ...naira,
    headline: { before: "spent_before", against: "the same days of last month" },
    meterOf: "cap_naira",
  },
  spent_before: naira,
  cap_count: orNull(Type.Integer()),
  spent_count: orNull(Type.Integer({ headline: {}, meterOf: "cap_count" })),
  limit_verification: orNull(Type.String({ none: "default" })),
  limit_in_flight: orNull(Type.Integer({ none: "default" })),
  limit_negatives: orNull(Type.String({ none: "default" })),
  /** Last use of any of the account's keys, to within a minute. */
  last_used_at: orNull({ ...time, none: "never" }),
});

const ListedFacts = Type.Object({
  ...TermsFacts.properties,
  state: state(["active", "near_the_cap", "balance_low", "refused", "suspended"], {
    by: "suspended_by",
    since: "stopped_at",
  }),
  /** When the account was suspended, or when its verifications began to be refused. */
  stopped_at: orNull(time),
});
type ListedFacts = Static<typeof ListedFacts>;

/** The groups by which a list of accounts can be filtered. */
const groups = {
  refused: ({ state }) => state === "refused",
  near_the_cap: ({ state, prepaid }) => state === "near_the_cap" || (state === "refused" && !prepaid),
  balance_low: ({ state, prepaid }) => state === "balance_low" || (state === "refused" && Boolean(prepaid)),
  prepaid: ({ prepaid }) => Boolean(prepaid),
  suspended: ({ state }) => state === "suspended",
  never_used: ({ last_used_at }) => last_used_at === null,
} satisfies Record<string, (account: Standing) => boolean>;
type Standing = Pick<ListedFacts, "state" | "prepaid" | "last_used_at">;
type Group = keyof typeof groups;

/** The accounts that have used most of a cap or a balance, by their ids. */
export interface WithNearlySpent {
  nearlySpent(): Promise<ReadonlyMap<string, { isExhausted: boolean; refusedSince: number | null }>>;
}

/** Declares a column that shows how much of a cap is used, if there is a cap. */
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
    "What is spent is what the live verifications of this month charged. " +
    "Of an account with a cap those that run count too.",
  role: "viewer",
  kind: "read",
  input: Type.Object({
    only: Type.Optional(Type.Enum(Object.keys(groups) as Group[], { description: "Only these accounts." })),
  }),
  answer: Type.Array(ListedFacts),
  page: [
    ...(["name", { name: "email", spare: true }, "state"] as const),
    { name: "spent_naira", of: ({ spent_naira }) => spent_naira, as: { ...naira, sums: true } },
    {
      name: "moved",
      of: ({ spent_naira, spent_before }) => (spent_before === 0 ? null : spent_naira / spent_before - 1),
      as: orNull(Type.Number({ shows: "change", label: "± month", spare: true })),
    },
    capColumn("cap_naira", "spent_naira", "Monthly cap"),
    capColumn("cap_count", "spent_count", "Cap of checks"),
    ...(["balance", "last_used_at"] as const),
  ],
  none: "No account yet.",
  noneThen: { says: "Each client has one, with keys and terms of its own.", by: "accounts.create" },
  choiceCounts: async (_, room: Room & WithNearlySpent, all) => groupCounts(groups, all ?? (await standings(room))),
  figures: (all) => {
    const spent = nairaText(all.reduce((sum, { spent_naira }) => sum + spent_naira, 0));
    const near = all.filter((one) => groups.near_the_cap(one) || groups.balance_low(one)).length;
    return `${all.length} ${all.length === 1 ? "account" : "accounts"}, ${spent} charged this month${near > 0 ? `, ${near} with ${warnedPercent} % of a cap or balance used` : ""}.`;
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
    const all = await listed(room, await chargesOf(room));
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
    money: Type.Array(
      Type.Object({ what: Type.Enum([...moneyMoves]), amount: naira, reason: Type.String(), at: time }),
    ),
    notes: Type.Array(Type.Object({ at: time, by: accountFact, note: Type.String() })),
    /** The endpoints with a mark, which an operator should look at. */
    endpoints: madeEndpoints,
    /** The limits of accounts without limits of their own. Null: no limit. */
    default_limits: Type.Record(Type.String(), orNull(Type.String())),
  }),
  view: ({ default_limits: _, ...account }) => accountView(account),
  onPage: ({ default_limits: defaults, ...account }) => {
    const said = Object.entries(defaults).map(([name, text]) => [
      name,
      account[name as LimitName] ?? `${text ?? "none"} (default)`,
    ]);
    return accountView({ ...account, ...Object.fromEntries(said) });
  },
  examples: [{ account: "shop@example.com" }],
  run: async ({ account }, room: Room & WithNotes & WithNearlySpent & WithLimits) => {
    const found = await accounts.findAccount(room.db, account);
    const { limits } = room.verificationSettings();
    const entries = (await room.auditEntries(found.id)).filter(({ kind }) => kind === "account.noted");
    const { id, suspended_at: since } = found;
    const marked = await markedEndpoints(room.db, room.now(), { audience: id });
    return {
      ...withState(await allTermsOf(room, found), await room.nearlySpent()),
      suspended_by: since === null ? null : ((await room.suspendedBy(id, since)) ?? null),
      money: await moneyMovesOf(room.db, id, room.now()),
      notes: entries.map(({ occurred_at, actor, facts }) => ({
        at: occurred_at,
        by: actor,
        note: noteIn(facts),
      })),
      endpoints: marked.filter(({ mark }) => mark !== null).map(endpointFactsOf),
      default_limits: {
        limit_verification: limits && limitText(limits.account),
        limit_in_flight: limits && String(limits.inFlight),
        limit_negatives: limits && limitText(limits.negatives),
      } satisfies Record<LimitName, string | null>,
    };
  },
});

type LimitName = "limit_verification" | "limit_in_flight" | "limit_negatives";

type Rate = Parameters<typeof limitText>[0];

/** The resource that knows the limits of accounts without limits of their own. */
export interface WithLimits {
  verificationSettings(): { limits: { account: Rate; inFlight: number; negatives: Rate } | null };
}

function accountView({
  money,
  notes,
  endpoints,
  ...facts
}: Record<"money" | "notes", readonly object[]> & { endpoints: Static<typeof madeEndpoints> }): Part[] {
  return [
    { record: facts },
    ...endpointList("Endpoints that need a look:", endpoints),
    ...(money.length > 0 ? ["", { title: "Money in and back:", list: "money" }] : []),
    ...(notes.length > 0 ? ["", { title: "Notes:", list: "notes" }] : []),
  ];
}

export const termsCommands = [listAccounts, showAccount];

/** Returns the note in the facts of an audit entry, or "". */
function noteIn(facts: string): string {
  const text = /,"note":("(?:[^"\\]|\\.)*")/.exec(facts)?.[1];
  return text === undefined ? "" : JSON.parse(text);
}

export async function allTermsOf({ db, config, now }: Room, account: accounts.Account) {
  const [spentBy, usedAt, charges] = await Promise.all([
    spendingOf(db, [account], config.timeZone, now()),
    usesOf(db, account.id),
    chargesOf({ db, config, now }, account.id),
  ]);
  return allFactsOf(account, spentBy(account), usedAt, charges);
}

/** The charges of each account this month, and in the same days of last month, in kobo. */
interface Charges {
  charged: ReadonlyMap<string, number>;
  before: ReadonlyMap<string, number>;
}

/** Reads the charges of all accounts, or of the given one. */
async function chargesOf({ db, config, now }: Pick<Room, "db" | "config" | "now">, id?: string): Promise<Charges> {
  const [charged, before] = await Promise.all([
    chargedThisMonth(db, config.timeZone, now(), id),
    chargedLastMonth(db, config.timeZone, now(), id),
  ]);
  return { charged, before };
}

/** Lists all accounts with their facts. */
async function listed(
  { db, config, now, nearlySpent }: Room & WithNearlySpent,
  charges: Charges = { charged: new Map(), before: new Map() },
): Promise<ListedFacts[]> {
  const all = await accounts.listAccounts(db);
  const [spentBy, usedAt, spent] = await Promise.all([
    spendingOf(db, all, config.timeZone, now()),
    usesOf(db),
    nearlySpent(),
  ]);
  return all.map((account) => withState(allFactsOf(account, spentBy(account), usedAt, charges), spent));
}

/** Reads only the columns that decide which groups each account belongs to. Reading the sums would take longer. */
async function standings({ db, nearlySpent }: Pick<Room, "db"> & WithNearlySpent): Promise<Standing[]> {
  const [all, usedAt, spent] = await Promise.all([
    db.selectFrom("account").select(["id", "suspended_at", "terms"]).execute(),
    usesOf(db),
    nearlySpent(),
  ]);
  return all.map(({ id, suspended_at, terms }) => {
    const prepaid = (JSON.parse(terms) as accounts.Account["terms"]).prepaid === true;
    return { last_used_at: usedAt.get(id) ?? null, ...withState({ id, prepaid, suspended_at }, spent) };
  });
}

function withState<Facts extends Pick<Static<typeof TermsFacts>, "id" | "prepaid" | "suspended_at">>(
  facts: Facts,
  nearlySpent: Awaited<ReturnType<WithNearlySpent["nearlySpent"]>>,
): Facts & Pick<ListedFacts, "state" | "stopped_at"> {
  const { prepaid, suspended_at } = facts;
  if (suspended_at !== null) return { ...facts, state: "suspended", stopped_at: suspended_at };
  const use = nearlySpent.get(facts.id);
  if (!use) return { ...facts, state: "active", stopped_at: null };
  const nearly = prepaid ? "balance_low" : "near_the_cap";
  return { ...facts, state: use.isExhausted ? "refused" : nearly, stopped_at: use.refusedSince };
}

/** Returns the time of last use of each account, or of the given one, by account id. */
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
  { charged, before }: Charges,
) {
  const { verification, inFlight, negatives, capKobo, capCount, prepaid } = account.terms;
  return {
    ...accountFactsOf(account),
    prepaid: prepaid === true,
    balance,
    cap_naira: capKobo ?? null,
    spent_naira: month?.kobo ?? charged.get(account.id) ?? 0,
    spent_before: before.get(account.id) ?? 0,
    cap_count: capCount ?? null,
    spent_count: month?.verifications ?? null,
    limit_verification: verification ? limitText(verification) : null,
    limit_in_flight: inFlight ?? null,
    limit_negatives: negatives ? limitText(negatives) : null,
    last_used_at: usedAt.get(account.id) ?? null,
  };
}

/** Says how much was spent, and of which cap if there is one. */
function spentText({ cap_naira, cap_count, spent_naira, spent_count }: Static<typeof TermsFacts>): string {
  if (cap_naira !== null) return `${nairaText(spent_naira)} of ${nairaText(cap_naira)}`;
  return cap_count === null ? nairaText(spent_naira) : `${spent_count} of ${cap_count}`;
}
