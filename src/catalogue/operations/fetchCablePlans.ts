import Type from "typebox";
import { codeField } from "../../operation/fields.ts";
import { operation } from "../../operation/operation.ts";
import type { Catalogue } from "../catalogue.ts";
import { CablePlanAnswer } from "./shapes.ts";

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
  pick: ({ input: { type }, caller }, catalogue: Catalogue) => catalogue.cablePlans(type, caller?.accountId),
});
