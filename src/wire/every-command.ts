import type { CommandContext } from "../commands/context.ts";
import { coreFamilies } from "../commands/families.ts";
import type { Family, Gathered } from "../commands/feature.ts";
import type { Command } from "../declare/command.ts";
import { features } from "../features.ts";

const all: Gathered = {
  settings: async () => (await import("./every-setting.ts")).everySetting,
  auditKinds: async () => (await import("./every-audit-kind.ts")).everyAuditKind,
  records: async () => (await import("./every-record.ts")).everyRecord,
};

const ofFeatures = features.flatMap(({ commands }) => commands ?? []);

const added = ofFeatures.filter((family) => "about" in family);

/** Every family of commands, of the core and of features. */
export const families: readonly Family[] = [
  ...coreFamilies.flatMap((family) => [...added.filter(({ before }) => before === family.name), family]),
  ...added.filter(({ before }) => !coreFamilies.some(({ name }) => name === before)),
];

/** The commands of a family, with those that features add to the family. */
export async function commandsOf({ name }: Pick<Family, "name">): Promise<Command<CommandContext>[]> {
  const parts = [...coreFamilies, ...ofFeatures].filter((family) => family.name === name);
  const commands = (await Promise.all(parts.map(({ load }) => load(all)))).flat();
  return commands.filter(({ id }) => id.split(".")[0] === name);
}

/** Every command, also of families that the terminal lacks; or the commands of one family. */
export async function everyCommand(only?: string): Promise<readonly Command<CommandContext>[]> {
  if (only !== undefined) return commandsOf({ name: only });
  const names = new Set([...families, ...ofFeatures].map(({ name }) => name));
  return (await Promise.all([...names].map((name) => commandsOf({ name })))).flat();
}
