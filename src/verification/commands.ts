/** The commands of the room by family. A family is loaded when one of its commands runs. */
export const identityCommands = {
  ledger: async () => (await import("../ledger/commands/settle-commands.ts")).settleCommands,
  upstreams: async () => (await import("./commands/upstream-commands.ts")).upstreamCommands,
  routes: async () => (await import("./commands/route-commands.ts")).routeCommands,
};
