import { catalogueList, member } from "./list.ts";

export const corporateBundles = catalogueList({
  name: "corporate-bundles",
  one: "corporate bundle",
  many: "corporate bundles",
  title: "CorporateBundle",
  members: {
    description: member.text("Label for people"),
    code: member.code("Bundle code: corporate_data_<size><unit>"),
  },
  columns: ["code", "description"],
  key: ["code"],
  isSold: true,
  served: { path: "corporate-data/list", entries: ["data"] },
});
