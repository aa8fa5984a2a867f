import { answerWriter } from "../../declare/answers/answer-writer.ts";
import { operation } from "../../declare/operation.ts";
import Type from "../../declare/schema/type.ts";
import type { Catalogue } from "../catalogue.ts";
import { CableProviderAnswer } from "../responses/shapes.ts";

const services: CableProviderAnswer = {
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
  access: "anonymous",
  scope: "catalogue:read",
  limit: "catalogue",
  carriage: "query",
  input: Type.Object({}),
  answer: CableProviderAnswer,
  failurePayload: () => ({ billers: [] }),
  examples: [{ summary: "The three services", answer: services }],
  pick: (_call, { responses }: Catalogue, id) =>
    responses.pickList(id, "cable-providers", (billers) => write({ success: true, billers })),
});

const write = answerWriter(CableProviderAnswer);
