/** The commands of the room by family. A family is loaded when one of its commands runs. */
export const identityCommands = {
  ledger: async () => [
    ...(await import("./commands/ledger-commands.ts")).ledgerCommands,
    ...(await import("./commands/settle-commands.ts")).settleCommands,
  ],
  books: async () => [
    ...(await import("./commands/books/book-commands.ts")).bookCommands,
    (await import("./commands/books/trend-command.ts")).showTrend,
    ...(await import("./commands/books/vendor-book-commands.ts")).vendorBookCommands,
    (await import("./commands/books/settle-unknown-command.ts")).settleUnknown,
  ],
  subjects: async () => (await import("./commands/subject-commands.ts")).subjectCommands,
  upstreams: async () => (await import("./commands/upstream-commands.ts")).upstreamCommands,
  routes: async () => [
    ...(await import("./commands/route-commands.ts")).routeCommands,
    (await import("./commands/replay-command.ts")).replayRoutes,
  ],
};
