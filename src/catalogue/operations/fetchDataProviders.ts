import { answerWriter } from "../../declare/answers/answer-writer.ts";
import { operation } from "../../declare/operation.ts";
import Type from "../../declare/schema/type.ts";
import type { Catalogue } from "../catalogue.ts";
import { DataProviderAnswer } from "../responses/shapes.ts";

const networks: DataProviderAnswer = {
  success: true,
  billers: ["MTN", "AIRTEL", "GLO", "9MOBILE"].map((name, place) => ({
    type: `${name}DATA`,
    id: place + 1,
    name,
    narration: `${name} Data`,
    image: "",
  })),
};

export const fetchDataProviders = operation({
  id: "fetchDataProviders",
  method: "GET",
  path: "/api/v2/internet/data/fetch-providers",
  summary: "Data providers",
  alsoCalled: ["networks", "datanetworks"],
  description: "Lists the data providers. Their `type` is the `provider` of the data bundle look-up.",
  group: "Data",
  documented: true,
  access: "credential",
  scope: "catalogue:read",
  limit: "catalogue",
  carriage: "query",
  input: Type.Object({}),
  answer: DataProviderAnswer,
  failurePayload: () => ({ billers: [] }),
  examples: [{ summary: "The four networks", answer: networks }],
  pick: (_call, { responses }: Catalogue, id) =>
    responses.pickList(id, "data-providers", (billers) => write({ success: true, billers })),
});

const write = answerWriter(DataProviderAnswer);
