import { deliveryCommands } from "./commands/delivery-commands.ts";
import { endpointCommands } from "./commands/endpoint-commands.ts";

export const eventCommands = [...deliveryCommands, ...endpointCommands];
