import Type from "typebox";
import { operation } from "../../operation/operation.ts";
import type { Catalogue } from "../catalogue.ts";
import { BillerAnswer } from "./shapes.ts";

const services: BillerAnswer = {
  success: true,
  billers: [
    { type: "gotv", id: 1, name: "GOTV", narration: "Gotv Cable", image: "" },
    { type: "dstv", id: 2, name: "DSTV", narration: "Dstv Cable", image: "" },
    { type: "startimes", id: 3, name: "STARTIMES", narration: "Startimes Cable", image: "" },
  ],
};

export const fetchCableProviders = operation({
  id: "fetchCableProviders",
  method: "GET",
  path: "/api/v2/cable-tv/fetch-providers",
  summary: "Cable-TV providers",
  description: "Lists the cable-TV providers. Their `type` is the `type` of the product and add-on look-ups.",
  group: "Cable TV",
  documented: false,
  access: "anonymous",
  scope: "catalogue:read",
  limit: "catalogue",
  carriage: "query",
  input: Type.Object({}),
  answer: BillerAnswer,
  failures: [],
  failurePayload: () => ({ billers: [] }),
  examples: [{ summary: "The three services", answer: services }],
  pick: (_call, catalogue: Catalogue) => catalogue.cableProviders(),
});
