import { nairaOf } from "../../declare/money.ts";
import { operation } from "../../declare/operation.ts";
import Type from "../../declare/schema/type.ts";
import { amountFor, feeOf } from "../../ledger/fees.ts";
import type { Identity } from "../identity.ts";

const WaecAnswer = Type.Object({
  success: Type.Literal(true),
  status: Type.Literal("success"),
  message: Type.String(),
  data: Type.Object({ amount: Type.String({ description: "Fee of a verification in naira: the `amount` to send" }) }),
});

const message = "WAEC lookup successful";

export const lookupWaecAmount = operation({
  id: "lookupWaecAmount",
  method: "GET",
  path: "/api/v2/education/waec-lookup",
  summary: "Amount of a BVN verification",
  description:
    "Gives the `amount` that the BVN verification asks for, from the fee schedule of this service. " +
    "Where a verification costs " +
    'nothing it is "0.01", the least amount that a request can name; any other does as well.',
  group: "Identity",
  access: "credential",
  scope: "catalogue:read",
  limit: "catalogue",
  carriage: "query",
  input: Type.Object({}),
  answer: WaecAnswer,
  examples: [
    {
      summary: "The default fee",
      answer: { success: true, status: "success", message, data: { amount: "100" } },
    },
  ],
  run: async ({ caller }, { settings }: Identity) => ({
    success: true as const,
    status: "success" as const,
    message,
    data: { amount: nairaOf(amountFor(feeOf("bvn", caller!.fees, settings))) },
  }),
});
