import Type from "typebox";
import { answerWriter } from "../../operation/answer-writer.ts";
import { codeField } from "../../operation/fields.ts";
import { nairaOf } from "../../operation/money.ts";
import { operation } from "../../operation/operation.ts";
import type { Catalogue } from "../catalogue.ts";
import { findProduct } from "../model/find.ts";
import type { CableAddOn } from "../model/lists.ts";
import { type PriceList, pricesOf } from "../model/price-lists.ts";
import { type Group, groupIn } from "../model/snapshot.ts";
import { Body } from "../responses/body.ts";
import { AddOnAnswer } from "../responses/shapes.ts";

const premium: AddOnAnswer = {
  success: true,
  status: "success",
  message: "Add-on lookup successful for PRWE36",
  data: [
    {
      add_on_product_code: "HDPVRE36",
      product_code: "PRWE36",
      name: "HDPVR/XtraView",
      price: "6000",
      type: "dstv",
    },
    {
      add_on_product_code: "FRN15E36",
      product_code: "PRWE36",
      name: "French Plus",
      price: "24500",
      type: "dstv",
    },
    {
      add_on_product_code: "GWALLE36",
      product_code: "PRWE36",
      name: "Great Wall",
      price: "3800",
      type: "dstv",
    },
    {
      add_on_product_code: "MOBMAXI",
      product_code: "PRWE36",
      name: "Mobile",
      price: "790",
      type: "dstv",
    },
    {
      add_on_product_code: "MOVIES",
      product_code: "PRWE36",
      name: "Movie Bundle",
      price: "3500",
      type: "dstv",
    },
  ],
};

const none: AddOnAnswer = {
  success: true,
  status: "success",
  message: "Add-on lookup successful for GOTVMAX",
  data: [],
};

export const fetchTvAddOns = operation({
  id: "fetchTvAddOns",
  method: "GET",
  path: "/api/v2/cable-tv/fetch-tv-add-ons",
  summary: "Add-ons of a cable-TV product",
  description:
    "Lists what can be added to a cable-TV product. A product without add-ons has an empty list. Codes are matched " +
    "without regard to case, and the answer repeats `type` and `product_code` as you sent them.",
  group: "Cable TV",
  documented: true,
  access: "anonymous",
  scope: "catalogue:read",
  limit: "catalogue",
  carriage: "query or body",
  input: Type.Object({
    type: codeField("Cable provider code.", "dstv"),
    productCode: codeField("Product code, as fetch-billers lists it.", "PRWE36"),
  }),
  answer: AddOnAnswer,
  failures: ["provider_not_found", "product_not_found"],
  failurePayload: () => ({ data: [] }),
  examples: [
    { summary: "Add-ons of DStv Premium", input: { type: "dstv", productCode: "PRWE36" }, answer: premium },
    { summary: "A product without add-ons", input: { type: "gotv", productCode: "GOTVMAX" }, answer: none },
  ],
  pick: ({ input: { type, productCode }, caller }, { responses }: Catalogue) => {
    // Only what matches a code is ever kept, and no code holds a line break: two requests never share a name.
    const name = `${type}\n${productCode}`;
    const prices = pricesOf(responses.snapshot, caller);
    const known = prices ? undefined : responses.find("cable-add-ons", name);
    if (known) return known;
    const { key, content } = findProduct(responses.snapshot, type, productCode);
    const group = groupIn(responses.snapshot, "cable-add-ons", key);
    const recipe = { list: "cable-add-ons", key } as const;
    if (prices) {
      const write = () => bodyOf(group, type, productCode, prices);
      return responses.own(caller!.accountId, name, { ...recipe, parts: [group, prices], write });
    }
    const made = { ...recipe, parts: [group], write: () => bodyOf(group, type, productCode) };
    const isListedSo = type === content.type && productCode === content.code;
    return isListedSo ? responses.common(name, made) : responses.spelled(name, made);
  },
});

const writeAnswer = answerWriter(AddOnAnswer);

/** Repeats the codes as the caller spells them. */
function bodyOf(group: Group, type: string, productCode: string, prices?: PriceList): Body {
  const data = group.map(({ key, content }) => {
    const { price, ...addOn } = content as CableAddOn;
    const own = prices ? prices.priceOf(key, price) : price;
    return { ...addOn, type, product_code: productCode, price: nairaOf(own) };
  });
  const message = `Add-on lookup successful for ${productCode}`;
  return new Body([Buffer.from(writeAnswer({ success: true, status: "success", message, data }))]);
}
