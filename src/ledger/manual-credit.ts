import { InputError } from "../declare/command/read-texts.ts";
import { CommandError } from "../declare/command.ts";
import { nairaOf, nairaText } from "../declare/money.ts";
import type { TimeZone } from "../runtime/time-zone.ts";
import type { Audited, WithClock } from "../storage/audited.ts";
import { isSqlite } from "../storage/engine.ts";
import { moneyTrail } from "../storage/money-trail.ts";
import { upsert } from "../storage/queries/upsert.ts";
import { requestLife } from "../storage/tables/ledger-tables.ts";
import { chargeSums } from "./reports/summary.ts";

/**
 * Money that an account gets without a verification that limits the amount: a live correction without a reference, or a
 * top-up. In kobo.
 */
export interface ManualCredit {
  what: "correction" | "top-up";
  accountId: string;
  kobo: number;
}

/** The resources of commands that give a `ManualCredit`. `trx` is the transaction that writes the money. */
export interface WithManualCredit {
  mayGive(trx: Audited["db"], money: ManualCredit, sure: boolean): Promise<boolean>;
}

/** `db` is the transaction that writes the money. */
type Room = Audited & WithClock & { config: { timeZone: TimeZone; fourEyes: boolean } };

/**
 * Whether the money may be given. In a month, an account's top-ups may reach its charges of the last month, and so may
 * its corrections without a reference. More needs `sure` or, if four eyes are on, a second person who gives an equal
 * amount within a day: the first call notes the request and returns false. Throws an `InputError` if `sure` is
 * missing, and a `CommandError` at a terminal with four eyes on, because a terminal cannot tell two people apart.
 */
export async function mayGive(room: Room, { what, accountId, kobo }: ManualCredit, sure: boolean): Promise<boolean> {
  const { db: trx, audit, actor, config } = room;
  const { timeZone: zone, fourEyes } = config;
  const at = room.now();
  // The lock makes concurrent calls wait, so that each counts the money of the earlier calls.
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
  const why = `The account was charged ${nairaText(charged)} last month. With this they would come to ${nairaText(total)} in ${name} this month`;
  if (!fourEyes) {
    if (sure) return true;
    throw new InputError([{ field: "sure", message: `is required, or a reference. ${why}` }]);
  }
  if (!actor.startsWith("person:"))
    throw new CommandError(`${why}. DUBA_FOUR_EYES is on, so two people must give it in the console.`);
  const id = `${what} ${accountId} ${kobo}`;
  const asked = await trx
    .deleteFrom("money_request")
    .where("id", "=", id)
    .where("actor", "<>", actor)
    .where("at", ">", at - requestLife)
    .returning("actor")
    .executeTakeFirst();
  if (asked) return true;
  await upsert(trx, "money_request", { id }, { actor, at });
  await audit(trx, moneyTrail.requested(actor, { account: accountId, what, amount: nairaOf(kobo) }));
  return false;
}

/** The sum of the account's top-ups, or of its corrections without a reference, since `since`, in kobo. */
async function givenSince({ db }: Room, { what, accountId }: ManualCredit, since: number): Promise<number> {
  const topUps = db.selectFrom("top_up").select("kobo").where("account_id", "=", accountId);
  const corrections = db.selectFrom("adjustment").select("kobo").where("account_id", "=", accountId);
  const lines =
    what === "top-up"
      ? topUps.where("at", ">=", since)
      : corrections.where("at", ">=", since).where("mode", "=", "live").where("reference", "is", null);
  return (await lines.execute()).reduce((sum, { kobo }) => sum + kobo, 0);
}
