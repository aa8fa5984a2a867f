import { type AccountTerms, balancePeriod, warnedPercent } from "../../declare/account-terms.ts";
import { nairaOf, nairaText } from "../../declare/money.ts";
import type { Log } from "../../runtime/log.ts";
import { announce } from "../../storage/events/announce.ts";
import type { Db } from "../../storage/tables.ts";
import type { IdentitySettings } from "../identity-settings.ts";
import type { BudgetKind } from "./budget.ts";

/** Milliseconds during which a warning is not repeated. */
const toldFor = 32 * 86_400_000;

/** How many accounts with a cap, and how many with a balance, are a `NearlySpentAccount`. */
export type NearlySpent = Record<BudgetKind, number>;

interface Use {
  account: string;
  kind: BudgetKind;
  period: string;
  /** Identifies the cap, or the sum of top-ups. */
  most: string;
  /** Whether the rest pays for no check, so that verifications are refused. */
  isExhausted: boolean;
  /** A text such as "₦192,500.00 of ₦180,000.00 used". */
  used: string;
  facts: Record<string, string | number | null>;
}

const sentences: Record<BudgetKind, [nearly: string, whole: string]> = {
  cap: [
    `An account has used ${warnedPercent} % of its monthly cap`,
    "An account has used its monthly cap, and its verifications are refused",
  ],
  balance: [
    `An account has less than ${100 - warnedPercent} % of its last top-up left`,
    "The balance of an account is too low for a verification, so they are refused",
  ],
};

/** Finds nearly spent accounts. Logs each once when it has used most, and once when its rest pays for no check. */
export class SpendingWatch {
  readonly #db: Db;
  readonly #settings: Pick<IdentitySettings, "fees" | "timeZone">;
  readonly #log: Log;
  readonly #named = new Set<string>();
  nearlySpent: NearlySpent = { cap: 0, balance: 0 };

  constructor(db: Db, settings: Pick<IdentitySettings, "fees" | "timeZone">, log: Log) {
    this.#db = db;
    this.#settings = settings;
    this.#log = log;
  }

  /** `names`: whether this process logs the accounts. */
  async look(now: number, names: boolean): Promise<void> {
    const uses = await usesOf(this.#db, now, this.#settings);
    const count = (kind: BudgetKind) => uses.filter((use) => use.kind === kind).length;
    this.nearlySpent = { cap: count("cap"), balance: count("balance") };
    if (!names) return;
    const present = new Set(uses.map(keyOf));
    // An account is logged again after a top-up or a higher cap.
    for (const key of this.#named) if (!present.has(key)) this.#named.delete(key);
    for (const use of uses) {
      if (this.#named.has(keyOf(use))) continue;
      this.#named.add(keyOf(use));
      this.#log.warn({ account: use.account, ...use.facts }, sentences[use.kind][use.isExhausted ? 1 : 0]);
      await this.#tell(use, now);
    }
  }

  /** Announces a state once, even if several processes look, and again after a top-up or for another cap. */
  async #tell({ account, kind, period, most, isExhausted }: Use, at: number): Promise<void> {
    const data = { terms: kind, month: kind === "cap" ? period : null, used_up: isExhausted };
    const about = `${account} ${period} ${most} ${isExhausted ? "whole" : ""}`.trim();
    const event = { type: "account.cap_warning", audience: account, mode: "live", about, data, at } as const;
    await announce(this.#db, event, at - toldFor);
  }
}

function keyOf({ account, period, isExhausted }: Use): string {
  return `${account} ${period} ${isExhausted}`;
}

/** An account that has used `warnedPercent` of a monthly cap or of its last top-up, or whose rest pays for no check. */
export interface NearlySpentAccount extends Pick<Use, "account" | "kind" | "isExhausted" | "used"> {
  /** Since when its verifications are refused, in milliseconds since 1970. */
  refusedSince: number | null;
}

/** The nearly spent accounts, each once. */
export async function nearlySpentAccounts(
  db: Db,
  now: number,
  settings: Pick<IdentitySettings, "fees" | "timeZone">,
): Promise<NearlySpentAccount[]> {
  const ofAccount = Map.groupBy(await usesOf(db, now, settings), ({ account }) => account);
  return Promise.all(
    [...ofAccount].map(async ([account, uses]) => {
      const { kind, isExhausted, used, period } = uses.find(({ isExhausted }) => isExhausted) ?? uses[0]!;
      return {
        account,
        kind,
        isExhausted,
        used,
        refusedSince: isExhausted ? await lastTake(db, account, period) : null,
      };
    }),
  );
}

/**
 * When an account last took from a budget. If the account was changed or topped up after that, the time of that change.
 */
async function lastTake(db: Db, account: string, period: string): Promise<number | null> {
  const taken = await db
    .selectFrom("verification")
    .select("started_at as at")
    .where("account_id", "=", account)
    .where("mode", "=", "live")
    .where("spends", "=", period)
    .where((row) => row.or([row("charged", "=", 1), row("state", "=", "started")]))
    .orderBy("created_at", "desc")
    .limit(1)
    .executeTakeFirst();
  const changed = await db
    .selectFrom("audit_entry")
    .select("occurred_at as at")
    .where("kind", "in", ["account.changed", "account.terms_changed", "account.topped_up"])
    .where("facts", "like", `{"account":"${account}"%`)
    // No index has the account of an entry, so this condition limits the number of rows read.
    .where("occurred_at", ">", taken?.at ?? 0)
    .orderBy("occurred_at", "desc")
    .limit(1)
    .executeTakeFirst();
  const last = changed ?? taken;
  return last ? Number(last.at) : null;
}

async function usesOf(
  db: Db,
  now: number,
  { fees, timeZone }: Pick<IdentitySettings, "fees" | "timeZone">,
): Promise<Use[]> {
  const month = timeZone.monthOf(now);
  const rows = await db
    .selectFrom("account")
    .innerJoin("spending", "spending.account_id", "account.id")
    .select(["account.id", "account.terms", "account.fees", "spending.period", "kobo", "verifications", "most_kobo"])
    .select((row) =>
      row
        .selectFrom("top_up")
        .select("top_up.kobo")
        .whereRef("top_up.account_id", "=", "account.id")
        .where("top_up.kobo", ">", 0)
        .orderBy("top_up.at", "desc")
        .limit(1)
        .as("last_top_up"),
    )
    .select((row) =>
      row
        .selectFrom("verification")
        .select("reference")
        .whereRef("verification.account_id", "=", "account.id")
        .where("verification.mode", "=", "live")
        .limit(1)
        .as("verified"),
    )
    .where("spending.period", "in", [month, balancePeriod])
    // A suspended account is left out, because it waits for the person who suspended it.
    .where("account.suspended_at", "is", null)
    .orderBy("account.created_at")
    .orderBy("account.id")
    .execute();
  return rows.flatMap(
    ({ id, terms, fees: own, period, kobo, verifications, most_kobo, last_top_up, verified }): Use[] => {
      const { prepaid, capKobo, capCount } = JSON.parse(terms) as AccountTerms;
      const lowestFee = Math.min(...Object.values<number>({ ...fees, ...JSON.parse(own) }));
      if (period === balancePeriod) {
        const balance = (most_kobo ?? 0) - kobo;
        const isExhausted = balance < lowestFee;
        const isLow = 100 * balance < (100 - warnedPercent) * (last_top_up ?? 0);
        // A new client that waits for its first top-up loses nothing.
        const isWaiting = last_top_up === null && verified === null;
        if (!prepaid || isWaiting || !(isExhausted || isLow)) return [];
        const facts = { balance: nairaOf(balance) };
        const used = `${nairaText(balance)} left, ${nairaText(lowestFee)} for the cheapest check`;
        return [{ account: id, kind: "balance", period, most: `${most_kobo}`, isExhausted, used, facts }];
      }
      const isMost = (used: number, cap?: number) => cap !== undefined && 100 * used >= warnedPercent * cap;
      const isOver = (used: number, cap?: number) => cap !== undefined && used > cap;
      const isExhausted = isOver(kobo + lowestFee, capKobo) || isOver(verifications + 1, capCount);
      if (!isExhausted && !isMost(kobo, capKobo) && !isMost(verifications, capCount)) return [];
      const caps = { cap_naira: capKobo === undefined ? null : nairaOf(capKobo), cap_count: capCount ?? null };
      const facts = { month: period, spent_naira: nairaOf(kobo), spent_count: verifications, ...caps };
      const isOfMoney = capKobo !== undefined && !isOver(verifications + 1, capCount);
      const used = isOfMoney
        ? `${nairaText(kobo)} of ${nairaText(capKobo)} used`
        : `${verifications} of ${capCount} verifications used`;
      return [{ account: id, kind: "cap", period, most: `${capKobo} ${capCount}`, isExhausted, used, facts }];
    },
  );
}
