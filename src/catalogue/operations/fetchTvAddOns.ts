import Type from "typebox";
import { codeField } from "../../operation/fields.ts";
import { operation } from "../../operation/operation.ts";
import type { Catalogue } from "../catalogue.ts";
import { AddOnAnswer } from "./shapes.ts";

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
  pick: ({ input: { type, productCode }, caller }, catalogue: Catalogue) =>
    catalogue.addOns(type, productCode, caller?.accountId),
});
