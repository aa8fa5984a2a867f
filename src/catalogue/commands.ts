/** The commands of the room by family. A family is loaded when one of its commands runs. */
export const catalogueCommands = {
  catalogue: async () => [
    ...(await import("./commands/file-commands.ts")).fileCommands,
    ...(await import("./commands/revision-commands.ts")).revisionCommands,
  ],
  prices: async () => [
    ...(await import("./commands/prices/price-commands.ts")).priceCommands,
    ...(await import("./commands/prices/price-group-commands.ts")).groupCommands,
    (await import("./commands/prices/price-sheet-command.ts")).showSheet,
  ],
};
