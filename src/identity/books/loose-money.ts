import { CommandError } from "../../operation/command.ts";
import { nairaOf, nairaText } from "../../operation/money.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import type { Audited, WithClock } from "../../storage/audited.ts";
import { isSqlite } from "../../storage/engine.ts";
import { chargeSums } from "../ledger/reports/summary.ts";

/** Money of a live account that no verification bounds, in kobo: a correction without a reference, or a top-up. */
export interface LooseMoney {
  what: "correction" | "top-up";
  accountId: string;
  kobo: number;
}

/** What commands that give such money need. `trx` is the transaction that gives it. */
export interface WithLooseMoney {
  mayGive(trx: Audited["db"], money: LooseMoney, sure: boolean): Promise<boolean>;
}

/** How long a request waits for a second person, in milliseconds. */
export const requestLife = 24 * 60 * 60_000;

/** `db` is the transaction that gives the money. */
type Room = Audited & WithClock & { config: { timeZone: TimeZone; fourEyes: boolean } };

/**
 * Whether money may be given. What an account gets or pays so in a month is at most what it was charged in the last one. More than that
 * wants `sure`; where four eyes are on it waits until a second person gives the same within a day: false, and the request is noted.
 * Throws a `CommandError` without `sure`, and at a terminal, which has no two people.
 */
export async function mayGive(room: Room, { what, accountId, kobo }: LooseMoney, sure: boolean): Promise<boolean> {
  const { db: trx, audit, actor, config } = room;
  const { timeZone: zone, fourEyes } = config;
  const at = room.now();
  // Of two processes one waits here, and counts what the other gave.
  await trx
    .selectFrom("account")
    .select("id")
    .where("id", "=", accountId)
    .$if(!isSqlite(trx), (query) => query.forUpdate())
    .execute();
  const to = zone.startOfMonth(zone.monthOf(at));
  const last = { from: zone.startOfMonth(zone.monthOf(to - 1)), to, accountId, mode: "live" } as const;
  const charged = (await chargeSums(trx, last, { by: "account", zone })).reduce((sum, { feeKobo }) => sum + feeKobo, 0);
  const given = await givenSince(room, { what, accountId, kobo }, to);
  const total = given + kobo;
  if (Math.abs(total) <= charged) return true;
  const name = what === "top-up" ? "top-ups" : "corrections without a reference";
  const why = `The account was charged ${nairaText(charged)} last month. With this they would come to ${nairaText(total)} in ${name} this month.`;
  if (!fourEyes) {
    if (sure) return true;
    throw new CommandError(`${why} Name a verification with --reference, or say that it is right with --sure.`);
  }
  if (!actor.startsWith("person:"))
    throw new CommandError(`${why} DUBA_FOUR_EYES is on, so two people must give it in the console.`);
  const id = `${what} ${accountId} ${kobo}`;
  const asked = await trx
    .deleteFrom("money_request")
    .where("id", "=", id)
    .where("actor", "<>", actor)
    .where("at", ">", at - requestLife)
    .returning("actor")
    .executeTakeFirst();
  if (asked) return true;
  await trx
    .insertInto("money_request")
    .values({ id, actor, at })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ actor, at }))
    .execute();
  await audit(trx, { kind: "money.requested", actor, facts: { account: accountId, what, amount: nairaOf(kobo) } });
  return false;
}

/** What it got or paid so since then. */
async function givenSince({ db }: Room, { what, accountId }: LooseMoney, since: number): Promise<number> {
  const topUps = db.selectFrom("top_up").select("kobo").where("account_id", "=", accountId);
  const corrections = db.selectFrom("adjustment").select("kobo").where("account_id", "=", accountId);
  const lines =
    what === "top-up"
      ? topUps.where("at", ">=", since)
      : corrections.where("at", ">=", since).where("mode", "=", "live").where("reference", "is", null);
  return (await lines.execute()).reduce((sum, { kobo }) => sum + kobo, 0);
}
