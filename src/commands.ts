import type { Config } from "./config/read-config.ts";
import type { Command } from "./operation/command.ts";
import type { Audited } from "./storage/audited.ts";

/** What a face hands to a command. What one room needs of another is a member here. */
export interface Desk extends Audited {
  config: Config;
  /** Reports how much is done, of how much in all if that is known. */
  progress: (done: number, all?: number) => void;
}

/** Commands that share the first word of their names. They load when somebody needs them. */
export interface Family {
  name: string;
  about: string;
  load: () => Promise<readonly Command<Desk>[]>;
}

const access = async () => (await import("./access/commands.ts")).accessCommands;

/** Every command of every room, by family. */
export const families: readonly Family[] = [
  { name: "accounts", about: "Manage the accounts of your customers.", load: access },
  { name: "keys", about: "Manage API keys.", load: access },
];

/** The commands of a family. */
export async function commandsOf({ name, load }: Family): Promise<readonly Command<Desk>[]> {
  return (await load()).filter(({ id }) => id.split(".")[0] === name);
}
