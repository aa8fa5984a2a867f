import { sql } from "kysely";
import { type CheckKind, checkKinds, labelOf } from "../../declare/check-kind.ts";
import { type RichText, richText } from "../../declare/command/rich-text.ts";
import { nairaText } from "../../declare/money.ts";
import type { IdentitySettings } from "../../ledger/identity-settings.ts";
import { budgetOf, kindOf } from "../../ledger/spending/budget.ts";
import { spendingFailure, spentIn } from "../../ledger/spending/spending.ts";
import type { Limit } from "../../runtime/rate-limiter.ts";
import { nextMonth } from "../../runtime/time-zone.ts";
import { type Audited, takenBack, type WithClock } from "../../storage/audited.ts";
import type { Db } from "../../storage/tables.ts";
import { type Account, findAccount } from "./accounts.ts";
import { chargedThisMonth, limitText } from "./terms.ts";

/** The resources to tell whether live calls of a client are refused. */
export interface CallsRoom extends Pick<Audited, "db">, WithClock {
  verificationSettings(): Pick<IdentitySettings, "fees" | "limits" | "timeZone">;
}

/** How a client uses its keys. */
interface Use {
  email: string;
  hasLiveKey: boolean;
  /** "Lagos Till was charged ₦121,100.00 this month. Its last call: 22:40." */
  says: RichText;
}

/** Describes what a client pays and when it last called, for the person who is about to stop the client. */
export async function useOf(room: CallsRoom, idOrEmail: string): Promise<Use> {
  const { db, now, verificationSettings } = room;
  const { id, email, suspended_at } = await findAccount(db, idOrEmail);
  const keys = db.selectFrom("api_key").where("account_id", "=", id);
  const [live, used, verified, charged] = await Promise.all([
    keys
      .select("id")
      .where("mode", "=", "live")
      .where("revoked_at", "is", null)
      .where((key) => key.or([key("expires_at", "is", null), key("expires_at", ">", now())]))
      .executeTakeFirst(),
    keys
      .innerJoin("key_use", "key_use.key_id", "api_key.id")
      .select(({ fn }) => fn.max("used_at").as("at"))
      .executeTakeFirst(),
    db
      .selectFrom("verification")
      .select(({ fn }) => fn.max("created_at").as("at"))
      .where("account_id", "=", id)
      .where("mode", "=", "live")
      .executeTakeFirst(),
    chargedThisMonth(db, verificationSettings().timeZone, now(), id),
  ]);
  const at = Math.max(Number(used?.at ?? 0), Number(verified?.at ?? 0));
  const last = at === 0 ? richText`It has not called yet.` : richText`Its last call: ${{ time: at }}.`;
  return {
    email,
    hasLiveKey: live !== undefined && suspended_at === null,
    says: richText`${{ account: email }} was charged ${nairaText(charged.get(id) ?? 0)} this month. ${last}`,
  };
}

/**
 * Describes for the confirming person what a change does to a client's live verifications, and returns the answer of
 * the change. Runs `change` in a transaction that is rolled back. Throws the errors of `change`.
 */
export async function effectOnCalls<Answer>(
  room: CallsRoom,
  idOrEmail: string,
  change: (inside: { db: Db }) => Promise<Answer>,
): Promise<{ answer: Answer; says: RichText[]; isDanger: boolean }> {
  return takenBack(room.db, async (db) => {
    const inside = { ...room, db };
    const { id } = await findAccount(db, idOrEmail);
    const was = kindsOf(await refusals(inside, id));
    const answer = await change({ db });
    const will = await refusals(inside, id);
    const isNew = ({ kinds }: Refusal) => kinds.some((kind) => !was.includes(kind));
    const passes = was.filter((kind) => !kindsOf(will).includes(kind));
    const { email, hasLiveKey, says } = await useOf(inside, id);
    return {
      answer,
      isDanger: hasLiveKey && will.some(isNew),
      says: [
        ...will.map((refusal) => refusalText(email, refusal, isNew(refusal))),
        ...(will.some(isNew) ? [says] : []),
        ...(passes.length > 0 ? [richText`${checksText(passes)} of ${{ account: email }} are no longer refused.`] : []),
      ],
    };
  });
}

/** A reason for which verifications of a client are refused, by its money and its limits. */
interface Refusal {
  kinds: readonly CheckKind[];
  /** The part of the sentence after the client's name. */
  because: string;
  until: RichText;
}

const kindsOf = (all: readonly Refusal[]) => all.flatMap(({ kinds }) => kinds);

function refusalText(email: string, { kinds, because, until }: Refusal, isNew: boolean): RichText {
  const are = isNew ? "are refused at once" : "stay refused";
  return richText`${{ account: email }} ${because}: its ${checksText(kinds)} ${are}, ${until}.`;
}

function checksText(kinds: readonly CheckKind[]): string {
  return kinds.length === checkKinds.length ? "verifications" : `${kinds.map(labelOf).join(" and ")} verifications`;
}

async function refusals({ db, now, verificationSettings }: CallsRoom, id: string): Promise<Refusal[]> {
  const account = await findAccount(db, id);
  const { limits } = verificationSettings();
  const { verification = limits?.account, negatives = limits?.negatives } = account.terms;
  const found = await Promise.all([
    moneyRefusal(db, account, verificationSettings(), now()),
    verification && limitRefusal(db, account, { limit: verification, isNegative: false, now: now() }),
    negatives && limitRefusal(db, account, { limit: negatives, isNegative: true, now: now() }),
  ]);
  return found.filter((one) => one !== undefined);
}

/** Returns the refusal because of a client's money; undefined if the client can pay for a check of each kind. */
async function moneyRefusal(
  db: Db,
  { id, fees: own, terms }: Account,
  { fees, timeZone }: Pick<IdentitySettings, "fees" | "timeZone">,
  now: number,
): Promise<Refusal | undefined> {
  const budget = budgetOf({ mode: "live", terms }, now, timeZone);
  if (!budget) return undefined;
  const feeOf = (kind: CheckKind) => own[kind] ?? fees[kind];
  const failed = await Promise.all(
    checkKinds.map((kind) => spendingFailure(db, budget, { account_id: id, fee: feeOf(kind) })),
  );
  const kinds = checkKinds.filter((_, at) => failed[at]);
  if (kinds.length === 0) return undefined;
  const dearest = kinds.toSorted((one, other) => feeOf(other) - feeOf(one))[0]!;
  const pays = `pays ${nairaText(feeOf(dearest))} for a ${labelOf(dearest)}`;
  const spent = await spentIn(db, id, budget);
  if (kindOf(budget) === "balance") {
    const balance = nairaText((spent.most_kobo ?? 0) - spent.kobo);
    return { kinds, because: `has a balance of ${balance}, and ${pays}`, until: richText`until it is topped up` };
  }
  const { most_kobo, most_verifications, period } = budget;
  const until = richText`until ${{ time: timeZone.startOfMonth(nextMonth(period)) }}`;
  const isTooDear = most_kobo !== null && spent.kobo + feeOf(dearest) > most_kobo;
  const because = isTooDear
    ? `has used ${nairaText(spent.kobo)} of ${nairaText(most_kobo)}${spent.kobo < most_kobo ? `, and ${pays}` : ""}`
    : `has used ${spent.verifications} of ${most_verifications} verifications of this month`;
  return { kinds, because, until };
}

/** Returns the refusal because of a limit; undefined if the limit lets the next verification of a client pass. */
async function limitRefusal(
  db: Db,
  { id }: Account,
  { limit, isNegative, now }: { limit: Limit; isNegative: boolean; now: number },
): Promise<Refusal | undefined> {
  const window = limit.seconds * 1000;
  const counted = db
    .selectFrom("verification")
    .where("account_id", "=", id)
    .where("mode", "=", "live")
    .where("started_at", ">", now - window)
    .$if(isNegative, (query) => query.where("state", "=", "negative"));
  const sum = isNegative ? sql<number | string>`count(*)` : sql<number | string>`coalesce(sum(run), 0)`;
  const count = Number((await counted.select(sum.as("count")).executeTakeFirstOrThrow()).count);
  if (count < limit.count) return undefined;
  const last = await counted
    .select("started_at")
    .orderBy("started_at", "desc")
    .limit(1)
    .offset(limit.count - 1)
    .executeTakeFirst();
  const what = `${count} verifications ${isNegative ? "without a match " : ""}of ${limitText(limit)}`;
  return {
    kinds: checkKinds,
    because: `has used ${what}`,
    until: richText`until ${{ time: (last?.started_at ?? now) + window }}`,
  };
}
