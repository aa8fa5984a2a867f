import { answerWriter } from "../../declare/answers/answer-writer.ts";
import { codeField } from "../../declare/fields.ts";
import { nairaOf } from "../../declare/money.ts";
import { operation } from "../../declare/operation.ts";
import Type from "../../declare/schema/type.ts";
import type { Catalogue } from "../catalogue.ts";
import { foldCase } from "../model/codes.ts";
import { findCableProvider } from "../model/find-entry.ts";
import type { CableProduct } from "../model/lists.ts";
import { groupIn } from "../model/snapshot.ts";
import { availableIn } from "../model/supply.ts";
import { Body } from "../responses/body.ts";
import type { ResponseCache, ResponseSpec } from "../responses/cache.ts";
import { CablePlanAnswer } from "../responses/shapes.ts";

const gotv: CablePlanAnswer = {
  success: true,
  plans: [
    product(1, "GOHAN", "GOtv Smallie - monthly", "1900"),
    product(2, "GOLITE", "GOtv Smallie - quarterly", "5100"),
  ],
};

function product(id: number, code: string, name: string, price: string) {
  return { id, type: "gotv", code, name, description: name, price, amount: price };
}

export const fetchCablePlans = operation({
  id: "fetchCablePlans",
  method: "GET",
  path: "/api/v2/cable-tv/fetch-billers",
  summary: "Products of a cable-TV provider",
  alsoCalled: ["cabletvplans", "cabletvpackages", "cabletvbouquets", "cableplans"],
  description:
    "Lists the products of a cable-TV provider. Their `code` is the `productCode` of the add-on look-up. Codes are " +
    "matched without regard to case.",
  group: "Cable TV",
  access: "anonymous",
  scope: "catalogue:read",
  limit: "catalogue",
  carriage: "query",
  input: Type.Object({ type: codeField("Cable provider code.", "gotv") }),
  answer: CablePlanAnswer,
  failures: ["provider_not_found"],
  failurePayload: () => ({ plans: [] }),
  examples: [{ summary: "Products of GOtv, shortened", input: { type: "gotv" }, answer: gotv }],
  pick: ({ input: { type }, caller }, { responses }: Catalogue, id) =>
    responses.pick(id, foldCase(type), caller, type, specOf),
});

const write = answerWriter(CablePlanAnswer);

function specOf({ snapshot }: ResponseCache, type: string): ResponseSpec {
  const { key } = findCableProvider(snapshot, type);
  const group = groupIn(snapshot, "cable-products", key);
  return {
    list: "cable-products",
    name: key,
    key,
    parts: [group],
    write(prices) {
      const plans = availableIn(group).map(({ key, content }) => {
        const { price, amount, ...plan } = content as CableProduct;
        return {
          ...plan,
          price: nairaOf(prices?.priceOf("cable-products", key, content) ?? price),
          amount: nairaOf(amount),
        };
      });
      return new Body([Buffer.from(write({ success: true, plans }))]);
    },
  };
}
