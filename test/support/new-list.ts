import type { Additions } from "./changed-copy.ts";

/** An invented catalogue list, as a developer would add it: its value, its operation and its starter file. */
export const electricityCompanies: Additions = {
  newFiles: {
    "src/lists/electricity-companies.ts": `import { catalogueList } from "./list.ts";
import { providerMembers } from "./providers.ts";

export const electricityCompanies = catalogueList({
  name: "electricity-companies",
  one: "electricity company",
  many: "electricity companies",
  title: "ElectricityCompany",
  members: providerMembers,
  key: ["type"],
  served: { path: "electricity/fetch-companies", entries: ["billers"] },
});
`,
    "src/catalogue/operations/fetchElectricityCompanies.ts": `import { answerWriter } from "../../declare/answers/answer-writer.ts";
import { operation } from "../../declare/operation.ts";
import Type from "../../declare/schema/type.ts";
import { lists } from "../../lists/index.ts";
import type { Catalogue } from "../catalogue.ts";

const ElectricityCompanyAnswer = Type.Object({
  success: Type.Literal(true, { description: "Always true in an answer that is no failure" }),
  billers: Type.Array(lists["electricity-companies"].answerEntry, { description: "Companies by their ids" }),
});

const ikeja = { type: "ikeja", id: 1, name: "IKEDC", narration: "Ikeja Electric", image: "" };

export const fetchElectricityCompanies = operation({
  id: "fetchElectricityCompanies",
  method: "GET",
  path: "/api/v2/electricity/fetch-companies",
  summary: "Electricity companies",
  description: "Lists the electricity companies.",
  group: "Data",
  access: "credential",
  scope: "catalogue:read",
  limit: "catalogue",
  carriage: "query",
  since: "0.2.0",
  input: Type.Object({}),
  answer: ElectricityCompanyAnswer,
  failurePayload: () => ({ billers: [] }),
  examples: [{ summary: "A company", answer: { success: true, billers: [ikeja] } }],
  pick: (_call, { responses }: Catalogue, id) =>
    responses.pickList(id, "electricity-companies", (billers) => write({ success: true, billers })),
});

const write = answerWriter(ElectricityCompanyAnswer);
`,
    "data/starter/electricity-companies.json": `[
  { "type": "ikeja", "id": 1, "name": "IKEDC", "narration": "Ikeja Electric", "image": "" },
  { "type": "eko", "id": 2, "name": "EKEDC", "narration": "Eko Electric", "image": "" }
]
`,
  },
  newLines: {
    "src/lists/index.ts": [
      [
        'import { dataProviders } from "./data-providers.ts";\n',
        `import { dataProviders } from "./data-providers.ts";
import { electricityCompanies } from "./electricity-companies.ts";
`,
      ],
      [
        "cableProviders, cableProducts, cableAddOns] as const",
        "cableProviders, cableProducts, cableAddOns, electricityCompanies] as const",
      ],
    ],
    "src/catalogue/operations/index.ts": [
      [
        'import { listCorporateBundles } from "./listCorporateBundles.ts";\n',
        `import { fetchElectricityCompanies } from "./fetchElectricityCompanies.ts";
import { listCorporateBundles } from "./listCorporateBundles.ts";
`,
      ],
      ["  fetchCablePlans,\n];", "  fetchCablePlans,\n  fetchElectricityCompanies,\n];"],
    ],
  },
};
