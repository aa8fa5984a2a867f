import { changePrices } from "./commands/change-prices-command.ts";
import { editEntry } from "./commands/edit-command.ts";
import { listEntries } from "./commands/entries-command.ts";
import { fileCommands } from "./commands/file-commands.ts";
import { mapCommands } from "./commands/map-commands.ts";
import { priceCommands } from "./commands/prices/price-commands.ts";
import { priceFileCommands } from "./commands/prices/price-file-commands.ts";
import { groupCommands } from "./commands/prices/price-group-commands.ts";
import { showSheet } from "./commands/prices/price-sheet-command.ts";
import { revisionCommands } from "./commands/revision-commands.ts";
import { sourceCommands } from "./commands/source-commands.ts";

export const catalogueCommands = [
  ...fileCommands,
  listEntries,
  editEntry,
  changePrices,
  ...revisionCommands,
  ...priceCommands,
  ...priceFileCommands,
  ...groupCommands,
  showSheet,
  ...sourceCommands,
  ...mapCommands,
];
