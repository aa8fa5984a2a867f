import { accessTrail } from "../../declare/access-trail.ts";
import { naira, orNull } from "../../declare/command/answer-schema.ts";
import { amount, remark } from "../../declare/command/forms.ts";
import { mend } from "../../declare/command/mend.ts";
import { flag, formed, InputError } from "../../declare/command/read-texts.ts";
import { richText } from "../../declare/command/rich-text.ts";
import { command } from "../../declare/command.ts";
import { nairaText, waitsText } from "../../declare/money.ts";
import Type from "../../declare/schema/type.ts";
import { type Audited, inTransaction } from "../../storage/audited.ts";
import { moneyTrail } from "../../storage/money-trail.ts";
import * as accounts from "../accounts/accounts.ts";
import type { CallsRoom } from "../accounts/effect-on-calls.ts";
import { lastTopUp, topUp } from "../accounts/terms.ts";
import { accountMember as account } from "./account-commands.ts";
import { allTermsOf, type Room, TermsFacts } from "./terms-commands.ts";

/** Returns whether the account may get this amount now. False: the request waits for a second person. */
export interface WithTopUps {
  mayGive(trx: Audited["db"], money: { what: "top-up"; accountId: string; kobo: number }, sure: true): Promise<boolean>;
}

export const topUpAccount = command({
  id: "accounts.top-up",
  title: "Top up…",
  fits: ({ prepaid }) => prepaid !== false,
  summary: "Add money to the balance of a prepaid account.",
  description:
    "A top-up never changes later. To correct one, take money back: the account then has two top-ups. " +
    "With DUBA_FOUR_EYES on, a second person gives what comes to more in a month than the " +
    "account was charged in the last one.",
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
  view: ({ name, email, balance, prepaid, waits }) => {
    if (waits !== null) return [waitsText(waits)];
    return prepaid
      ? [`The balance of ${name} is ${nairaText(balance ?? 0)}.`]
      : [
          `The money is kept for ${name}.`,
          {
            note: "The account is not prepaid, so it does not use its balance yet.",
            mends: [mend("Let it pay before", "accounts.change", { account: email, prepaid: "on" })],
          },
        ];
  },
  records: [accessTrail.accountToppedUp, moneyTrail.requested],
  examples: [
    { account: "shop@example.com", amount: "50000", reason: "transfer of 3 November" },
    { account: "shop@example.com", amount: "45000", reason: "one zero too many", take_back: true },
  ],
  mayBeDanger: true,
  effect: async ({ account: name, amount, take_back }, room: Room & WithTopUps & CallsRoom, run) => {
    if (amount === 0) throw nothing();
    const { id, email } = await accounts.findAccount(room.db, name);
    const kobo = take_back ? -amount : amount;
    const same = await lastTopUp(room.db, id, { kobo, since: room.now() - 60_000 });
    const before = await allTermsOf(room, await accounts.findAccount(room.db, id));
    const { effectOnCalls } = await import("../accounts/effect-on-calls.ts");
    const { answer, says, isDanger } = await effectOnCalls(room, id, run);
    if (answer.waits !== null) return { says: [waitsText(amount)] };
    const { balance, prepaid } = answer;
    const isIdle = !prepaid || balance === null;
    return {
      isDanger: isDanger || isIdle || same !== undefined,
      says: [
        `${nairaText(amount)} ${take_back ? "is taken from" : "is added to"} the balance.`,
        ...(same ? [richText`The same amount ${take_back ? "was taken" : "came"} before: ${{ time: same.at }}.`] : []),
        ...(isIdle ? [richText`${{ account: email }} is not prepaid: it uses its balance once it is.`] : []),
        ...says,
      ],
      ...(!isIdle && { moves: [{ what: "Balance", before: nairaText(before.balance!), after: nairaText(balance) }] }),
    };
  },
  run: async ({ account: name, amount, reason, take_back }, room: Room & WithTopUps & CallsRoom) => {
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
