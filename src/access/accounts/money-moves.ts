import { sql } from "kysely";
import type { Db } from "../../storage/tables.ts";

export const moneyMoves = ["top_up", "taken_back", "given_back", "charged_by_hand"] as const;

/** Money that a person moved into an account or out of it. */
interface MoneyMove {
  /** Milliseconds since 1970. */
  at: number;
  what: (typeof moneyMoves)[number];
  /** Kobo, from the account's side. */
  amount: number;
  reason: string;
}

const most = 8;
/** Milliseconds of the past that are searched for adjustments, because no index has adjustments by account. */
const lookBack = 90 * 24 * 3_600_000;

/** Returns the last top-ups and live corrections by hand of an account, newest first. */
export async function moneyMovesOf(db: Db, accountId: string, now: number): Promise<MoneyMove[]> {
  const { rows } = await sql<{ at: number; kobo: number; reason: string; is_top_up: 0 | 1 }>`
    select * from (
      select at, kobo, reason, 1 as is_top_up from top_up where account_id = ${accountId} order by at desc limit ${most}) as top_ups
    union all select * from (
      select at, -kobo as kobo, reason, 0 as is_top_up from adjustment
        where at >= ${now - lookBack} and account_id = ${accountId} and mode = 'live' and charges = 0
        order by at desc limit ${most}) as corrections
    order by at desc limit ${most}`.execute(db);
  return rows.map(({ at, kobo, reason, is_top_up }) => {
    const [gained, lost] = is_top_up
      ? (["top_up", "taken_back"] as const)
      : (["given_back", "charged_by_hand"] as const);
    return { at, what: kobo < 0 ? lost : gained, amount: kobo, reason };
  });
}
