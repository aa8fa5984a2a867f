import { checkCommands } from "./commands/check-commands.ts";
import { readCommands } from "./commands/read-commands.ts";

export const auditCommands = [...checkCommands, ...readCommands];
