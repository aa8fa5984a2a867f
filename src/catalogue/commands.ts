import { fileCommands } from "./commands/file-commands.ts";
import { priceCommands } from "./commands/price-commands.ts";
import { revisionCommands } from "./commands/revision-commands.ts";
import { sourceCommands } from "./commands/source-commands.ts";

export const catalogueCommands = [...fileCommands, ...revisionCommands, ...priceCommands, ...sourceCommands];
