import { feature } from "../../commands/feature.ts";

export const specialPrices = feature({
  name: "special-prices",
  about: "Prices of one account, or of a group of accounts: set, shown, and as a price sheet.",
  commands: [
    {
      name: "prices",
      group: "Catalogue",
      before: "ledger",
      about:
        "Special prices of accounts. Each change makes a new revision of the catalogue. " +
        "`duba catalogue history` shows it, and `duba catalogue revert` undoes it.",
      load: async () => [
        ...(await import("./price-commands.ts")).priceCommands,
        ...(await import("./group-commands.ts")).groupCommands,
        (await import("./price-sheet-command.ts")).showSheet,
      ],
    },
  ],
  pages: [{ path: "/catalogue", families: ["prices"] }],
});
