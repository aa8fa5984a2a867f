import { keyCommands } from "./commands/key-commands.ts";

export const accessCommands = [...keyCommands];
