import { type FeatureRecords, same } from "../../commands/records/record-kinds.ts";

/** Entries of the catalogue, in the form in which people find them. */
export const entryRecords: FeatureRecords = {
  entry: {
    show: "catalogue.entries",
    by: "search",
    title: ({ search }) => String(search),
    meta: [],
    members: [],
    named: /./,
    search: async (text, ask) =>
      (await ask("catalogue.entries", { search: text }))
        .filter(({ code }) => String(code).toLowerCase().split(" ").includes(text.toLowerCase()) || same(code, text))
        .map(({ code, description }) => ({ search: code, about: description })),
  },
};
