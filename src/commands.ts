import type { Config } from "./config/read-config.ts";
import type { WithAccounts } from "./identity/commands/with-accounts.ts";
import type { Keyring } from "./keyring/keyring.ts";
import type { Command } from "./operation/command.ts";
import type { Log } from "./runtime/log.ts";
import type { Audited } from "./storage/audited.ts";

/** What a face opens for a command. */
export interface Surroundings extends Audited {
  config: Config;
  /** Reports how much is done, of how much in all if that is known. */
  progress: (done: number, all?: number) => void;
  log: Log;
  /** Whether the face can save several files of one answer. */
  savesSeveral: boolean;
}

/** What a face hands to a command: what one room needs of another is a member here. */
export interface Desk extends Surroundings, WithAccounts {
  /** The key ring, which belongs to the store. */
  keyring(): Promise<{ ring: Keyring; path: string }>;
}

export function deskOf(surroundings: Surroundings): Desk {
  const { db, config } = surroundings;
  const accounts = () => import("./access/accounts/accounts.ts");
  const textOf = async (member: "name" | "email") => {
    const texts = new Map((await (await accounts()).listAccounts(db)).map((account) => [account.id, account[member]]));
    return (id: string) => texts.get(id) ?? id;
  };
  return {
    ...surroundings,
    accounts: {
      find: async (idOrEmail) => (await accounts()).findAccount(db, idOrEmail),
      emails: () => textOf("email"),
      names: () => textOf("name"),
    },
    async keyring() {
      const { keyringPath, readKeyring } = await import("./keyring/file.ts");
      const { matchKeyring } = await import("./keyring/keyring.ts");
      const path = keyringPath(config);
      const ring = await readKeyring(path);
      await matchKeyring(db, ring, Date.now());
      return { ring, path };
    },
  };
}

/** Commands that share the first word of their names. They load when somebody needs them. */
export interface Family {
  name: string;
  about: string;
  load: () => Promise<readonly Command<Desk>[]>;
}

const access = async () => (await import("./access/commands.ts")).accessCommands;

const identity = async () => (await import("./identity/commands.ts")).identityCommands;

/** Every command of every room, by family. */
export const families: readonly Family[] = [
  { name: "accounts", about: "Manage the accounts of your customers.", load: access },
  { name: "keys", about: "Manage API keys.", load: access },
  { name: "ledger", about: "Read the ledger of verifications and charges.", load: identity },
  { name: "upstreams", about: "Show and test the identity vendors of live keys.", load: identity },
  { name: "subjects", about: "Export or erase the data of one person.", load: identity },
];

/** The commands of a family. */
export async function commandsOf({ name, load }: Family): Promise<readonly Command<Desk>[]> {
  return (await load()).filter(({ id }) => id.split(".")[0] === name);
}
