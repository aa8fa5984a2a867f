import { answerWriter } from "../../declare/answers/answer-writer.ts";
import { operation } from "../../declare/operation.ts";
import Type from "../../declare/schema/type.ts";
import type { Catalogue } from "../catalogue.ts";
import { CorporateBundleAnswer } from "../responses/shapes.ts";

const documentedSizes =
  "50mb 150mb 250mb 500mb 1gb 2gb 3gb 5gb 10gb 12gb 15gb 20gb 25gb 30gb 40gb 50gb 60gb 70gb 75gb 80gb 90gb 100gb";

const answered = { success: true, status: "success", message: "Corporate data lookup successful" } as const;

const every: CorporateBundleAnswer = {
  ...answered,
  data: documentedSizes.split(" ").map((size) => ({
    description: `Corporate DATA ${size.toUpperCase()}`,
    code: `corporate_data_${size}`,
  })),
};

export const listCorporateBundles = operation({
  id: "listCorporateBundles",
  method: "GET",
  path: "/api/v2/corporate-data/list",
  summary: "Corporate data bundles",
  description: "Lists the corporate data bundles, in the order of the list.",
  group: "Data",
  documented: true,
  access: "credential",
  scope: "catalogue:read",
  limit: "catalogue",
  carriage: "query",
  input: Type.Object({}),
  answer: CorporateBundleAnswer,
  failurePayload: () => ({ data: [] }),
  examples: [{ summary: "The documented corporate bundles", answer: every }],
  pick: (_call, { responses }: Catalogue, id) =>
    responses.pickList(id, "corporate-bundles", (data) => write({ ...answered, data })),
});

const write = answerWriter(CorporateBundleAnswer);
