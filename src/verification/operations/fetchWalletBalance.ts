import { fixedNaira } from "../../declare/money.ts";
import { operation } from "../../declare/operation.ts";
import Type from "../../declare/schema/type.ts";
import type { Identity } from "../identity.ts";

const wallet = { balance: Type.String({ description: "Naira with two decimals" }), status: Type.Literal("active") };

const WalletAnswer = Type.Object({
  success: Type.Literal(true),
  status: Type.Literal("success"),
  general_wallet: Type.Object({
    is_gl: Type.Literal(0),
    can_be_negative: Type.Literal(0),
    account_number: Type.Literal(""),
    balance: wallet.balance,
    commission: Type.Literal(0),
    status: wallet.status,
    type: Type.Null(),
  }),
  sme_data_wallet: Type.Object(wallet),
  corporate_data_wallet: Type.Object(wallet),
});

const answerWith = (balance: string) => ({
  success: true as const,
  status: "success" as const,
  general_wallet: {
    is_gl: 0 as const,
    can_be_negative: 0 as const,
    account_number: "" as const,
    balance,
    commission: 0 as const,
    status: "active" as const,
    type: null,
  },
  sme_data_wallet: { balance: "0.00", status: "active" as const },
  corporate_data_wallet: { balance: "0.00", status: "active" as const },
});

export const fetchWalletBalance = operation({
  id: "fetchWalletBalance",
  method: "GET",
  path: "/api/v2/wallet/balance",
  summary: "Balance of your account",
  alsoCalled: ["balance"],
  description:
    "Gives what your account can still spend on verifications in `general_wallet.balance`: " +
    "its prepaid balance, else what its monthly cap in naira leaves. If nothing in naira bounds it, " +
    "as with every test key, the balance is a fixed large amount and the answer has the header `Duba-Wallet: " +
    "unlimited`. The other members never change: some clients want them.",
  group: "Wallet",
  access: "credential",
  scope: "catalogue:read",
  limit: "catalogue",
  carriage: "query",
  input: Type.Object({}),
  answer: WalletAnswer,
  responseHeaders: ["Duba-Wallet"],
  examples: [{ summary: "With a test key", answer: answerWith("1000000.00") }],
  run: async ({ caller }, identity: Identity) => {
    const { kobo } = await identity.spendable(caller!);
    return {
      answer: answerWith(fixedNaira(kobo ?? identity.settings.walletUnlimited)),
      headers: kobo === null ? { "Duba-Wallet": "unlimited" } : ({} as Record<string, string>),
    };
  },
});
