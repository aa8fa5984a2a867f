import type { Config } from "../config/read-config.ts";
import { namesProtection } from "../declare/audit-kind.ts";
import type { Command } from "../declare/command.ts";
import type { Audited } from "../storage/audited.ts";
import { protectionInForce, protectionText } from "../storage/protection.ts";

/** The settings of a command, and by whose word it holds changes back. */
export interface Protected {
  config: Config;
  /** Such as "four eyes on, …, of the service K3xPq8aB". Undefined: the command holds nothing back. */
  protection: string | undefined;
}

/**
 * The settings by which a command decides whether a change waits: those of the service, whatever the environment of the
 * command says. A command whose entries do not name them does not read them.
 */
export async function protectedBy(
  { records = [] }: Pick<Command<never>, "records">,
  { db, config }: { db: Audited["db"]; config: Config },
): Promise<Protected> {
  if (!records.some(namesProtection)) return { config, protection: undefined };
  const found = await protectionInForce(db);
  if (!found) return { config, protection: `${protectionText(config)}, of this command, as no service has run yet` };
  const { of, ...inForce } = found;
  return { config: { ...config, ...inForce }, protection: `${protectionText(inForce)}, of ${of}` };
}
