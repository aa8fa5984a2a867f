import { deliveryCommands } from "./commands/delivery-commands.ts";
import { endpointCommands } from "./commands/endpoint-commands.ts";
import { resendAll } from "./commands/resend-all-command.ts";

export const eventCommands = [...deliveryCommands, resendAll, ...endpointCommands];
