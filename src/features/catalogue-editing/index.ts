import { feature } from "../../commands/feature.ts";

export const catalogueEditing = feature({
  name: "catalogue-editing",
  about: "Find entries of the catalogue, and change one of them, or the prices of many.",
  commands: [
    {
      name: "catalogue",
      load: async () => [
        (await import("./entries-command.ts")).listEntries,
        (await import("./edit-command.ts")).editEntry,
        (await import("./change-prices-command.ts")).changePrices,
      ],
    },
  ],
  pages: [{ path: "/catalogue", primary: "catalogue.change-prices" }],
  records: async () => (await import("./entry-records.ts")).entryRecords,
});
