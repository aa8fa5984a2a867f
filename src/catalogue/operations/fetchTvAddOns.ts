import { answerWriter } from "../../declare/answers/answer-writer.ts";
import { codeField } from "../../declare/fields.ts";
import { nairaOf } from "../../declare/money.ts";
import { operation } from "../../declare/operation.ts";
import Type from "../../declare/schema/type.ts";
import type { Catalogue } from "../catalogue.ts";
import { findProduct } from "../model/find-entry.ts";
import type { CableAddOn } from "../model/lists.ts";
import { groupIn } from "../model/snapshot.ts";
import { availableIn } from "../model/supply.ts";
import { Body } from "../responses/body.ts";
import type { ResponseCache, ResponseSpec } from "../responses/cache.ts";
import { AddOnAnswer } from "../responses/shapes.ts";

const premium: AddOnAnswer = {
  success: true,
  status: "success",
  message: "Add-on lookup successful for PRWE36",
  data: [
    ["HDPVRE36", "HDPVR/XtraView", "6000"],
    ["FRN15E36", "French Plus", "24500"],
    ["GWALLE36", "Great Wall", "3800"],
    ["MOBMAXI", "Mobile", "790"],
    ["MOVIES", "Movie Bundle", "3500"],
  ].map(([code, name, price]) => ({
    add_on_product_code: code!,
    product_code: "PRWE36",
    name: name!,
    price: price!,
    type: "dstv",
  })),
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
  // No code contains a line break, so two different requests never share a name.
  pick: ({ input, caller }, { responses }: Catalogue, id) =>
    responses.pick(id, `${input.type}\n${input.productCode}`, caller, input, specOf),
});

const writeAnswer = answerWriter(AddOnAnswer);

/** The response repeats the codes in the caller's spelling. */
function specOf(
  { snapshot }: ResponseCache,
  { type, productCode }: { type: string; productCode: string },
): ResponseSpec {
  const { key, content } = findProduct(snapshot, type, productCode);
  const group = groupIn(snapshot, "cable-add-ons", key);
  return {
    list: "cable-add-ons",
    name: `${type}\n${productCode}`,
    key,
    parts: [group],
    variesBySpelling: type !== content.type || productCode !== content.code,
    write(prices) {
      const data = availableIn(group).map(({ key, content }) => {
        const { price, ...addOn } = content as CableAddOn;
        return {
          ...addOn,
          type,
          product_code: productCode,
          price: nairaOf(prices?.priceOf("cable-add-ons", key, content) ?? price),
        };
      });
      const message = `Add-on lookup successful for ${productCode}`;
      return new Body([Buffer.from(writeAnswer({ success: true, status: "success", message, data }))]);
    },
  };
}
