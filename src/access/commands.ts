import { accountCommands } from "./commands/account-commands.ts";
import { changeAccountCommand } from "./commands/change-account-command.ts";
import { keyCommands } from "./commands/key-commands.ts";
import { termsCommands } from "./commands/terms-commands.ts";
import { topUpAccount } from "./commands/top-up-command.ts";

export const accessCommands = [
  ...accountCommands,
  changeAccountCommand,
  ...termsCommands,
  topUpAccount,
  ...keyCommands,
];
