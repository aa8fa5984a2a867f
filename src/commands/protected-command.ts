import type { Config } from "../config/read-config.ts";
import { namesProtection } from "../declare/audit-kind.ts";
import type { Command } from "../declare/command.ts";
import type { Audited } from "../storage/audited.ts";
import { protectionInForce, protectionText } from "../storage/protection.ts";

/** The configuration of a command, with a sentence about the protection settings in force. */
export interface Protected {
  config: Config;
  /** Such as "four eyes on, …, of the service K3xPq8aB". Undefined: no change of this command waits for approval. */
  protection: string | undefined;
}

/**
 * Returns the protection settings of the serving processes, or of the last one if none serves, whatever the environment
 * of the command says. If no process has served yet, the command's own settings apply. Skips the query if the command's
 * audit entries do not record protection.
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
