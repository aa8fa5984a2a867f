import Type from "typebox";
import { answerWriter } from "../../operation/answer-writer.ts";
import { codeField } from "../../operation/fields.ts";
import { nairaOf } from "../../operation/money.ts";
import { operation } from "../../operation/operation.ts";
import type { Catalogue } from "../catalogue.ts";
import { foldCase } from "../model/codes.ts";
import { findCableProvider } from "../model/find.ts";
import type { CableProduct } from "../model/lists.ts";
import { type PriceList, pricesOf } from "../model/price-lists.ts";
import { type Group, groupIn } from "../model/snapshot.ts";
import { Body } from "../responses/body.ts";
import type { ResponseCache } from "../responses/cache.ts";
import type { Response } from "../responses/response.ts";
import { CablePlanAnswer } from "../responses/shapes.ts";

const gotv: CablePlanAnswer = {
  success: true,
  plans: [
    {
      id: 1,
      type: "gotv",
      code: "GOHAN",
      name: "GOtv Smallie - monthly",
      description: "GOtv Smallie - monthly",
      price: "1900",
      amount: "1900",
    },
    {
      id: 2,
      type: "gotv",
      code: "GOLITE",
      name: "GOtv Smallie - quarterly",
      description: "GOtv Smallie - quarterly",
      price: "5100",
      amount: "5100",
    },
  ],
};

export const fetchCablePlans = operation({
  id: "fetchCablePlans",
  method: "GET",
  path: "/api/v2/cable-tv/fetch-billers",
  summary: "Products of a cable-TV provider",
  description:
    "Lists the products of a cable-TV provider. Their `code` is the `productCode` of the add-on look-up. Codes are " +
    "matched without regard to case.",
  group: "Cable TV",
  documented: false,
  access: "anonymous",
  scope: "catalogue:read",
  limit: "catalogue",
  carriage: "query",
  input: Type.Object({ type: codeField("Cable provider code.", "gotv") }),
  answer: CablePlanAnswer,
  failures: ["provider_not_found"],
  failurePayload: () => ({ plans: [] }),
  examples: [{ summary: "Products of GOtv, shortened", input: { type: "gotv" }, answer: gotv }],
  pick: ({ input: { type }, caller }, { responses }: Catalogue) => {
    const prices = pricesOf(responses.snapshot, caller);
    if (prices) return listedForAccount(responses, type, caller!.accountId, prices);
    return responses.find("cable-products", foldCase(type)) ?? listed(responses, type);
  },
});

const write = answerWriter(CablePlanAnswer);

function listed(responses: ResponseCache, type: string): Response {
  const { key } = findCableProvider(responses.snapshot, type);
  const group = groupIn(responses.snapshot, "cable-products", key);
  return responses.common(key, { list: "cable-products", key, parts: [group], write: () => bodyOf(group) });
}

function listedForAccount(responses: ResponseCache, type: string, accountId: string, prices: PriceList): Response {
  const { key } = findCableProvider(responses.snapshot, type);
  const group = groupIn(responses.snapshot, "cable-products", key);
  return responses.own(accountId, key, {
    list: "cable-products",
    key,
    parts: [group, prices],
    write: () => (prices.touches(key) ? bodyOf(group, prices) : listed(responses, type).body!),
  });
}

function bodyOf(group: Group, prices?: PriceList): Body {
  const plans = group.map(({ key, content }) => {
    const { price, amount, ...plan } = content as CableProduct;
    return { ...plan, price: nairaOf(prices ? prices.priceOf(key, price) : price), amount: nairaOf(amount) };
  });
  return new Body([Buffer.from(write({ success: true, plans }))]);
}
