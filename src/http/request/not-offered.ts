import { wordsOf } from "../../declare/closest-name.ts";

/**
 * Words for the goods, lists and actions of other services of this family. A path with one of these words asks for
 * something that Duba does not offer, whatever the method.
 */
const elsewhere = new Set(
  [
    "purchase purchases buy pay payment payments vend recharge topup order orders " +
      "checkout subscribe subscription renew refund",
    "transaction transactions requery transfer transfers bank banks beneficiary " +
      "beneficiaries payout payouts withdraw withdrawal fund",
    "airtime electricity electric power disco discos meter betting bet epin epins pin " +
      "pins voucher vouchers giftcard giftcards",
    "sme spectranet smile jamb neco nabteb sms insurance water toll loan loans",
    "virtual customer customers smartcard iuc wallets",
  ].flatMap((line) => line.split(" ")),
);

/** Paths of purchases that contain no such word, because the lists of these goods are below the paths. */
const purchases = /^\/(?:internet\/data|internet|data|cable-tv|cable|corporate-data|education)$/;
/** Paths of the family's actions with a wallet, except its balance. */
const wallet = /^\/wallet\/(?!balance$)/;

/**
 * Whether a path of the family is one that Duba does not serve: a purchase, a transfer, a bill, a list of other goods.
 */
export function isNotOffered(method: string | undefined, path: string): boolean {
  const rest = path.replace(/^(?:\/(?:api|v\d+)(?=\/|$))+/i, "");
  if (wordsOf(rest).some((word) => elsewhere.has(word))) return true;
  const asked = rest.toLowerCase();
  return wallet.test(asked) || (method === "POST" && purchases.test(asked));
}
