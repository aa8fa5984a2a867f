import { bookCommands } from "./commands/books/book-commands.ts";
import { settleUnknown } from "./commands/books/settle-unknown-command.ts";
import { showTrend } from "./commands/books/trend-command.ts";
import { vendorBookCommands } from "./commands/books/vendor-book-commands.ts";
import { ledgerCommands } from "./commands/ledger-commands.ts";
import { replayRoutes } from "./commands/replay-command.ts";
import { routeCommands } from "./commands/route-commands.ts";
import { settleCommands } from "./commands/settle-commands.ts";
import { subjectCommands } from "./commands/subject-commands.ts";
import { upstreamCommands } from "./commands/upstream-commands.ts";

export const identityCommands = [
  ...ledgerCommands,
  ...settleCommands,
  ...bookCommands,
  showTrend,
  ...vendorBookCommands,
  settleUnknown,
  ...subjectCommands,
  ...upstreamCommands,
  ...routeCommands,
  replayRoutes,
];
