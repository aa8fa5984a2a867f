import type { CommandContext } from "../../commands/context.ts";
import { accept, answered } from "../../declare/command.ts";
import { fillMonth } from "./fill-month.ts";
import { monthOf, type Verified } from "./month.ts";
import { clients, type Deed, deeds } from "./reseller.ts";

/** A key of a client, with its text. */
interface ClientKey {
  email: string;
  mode: "live" | "test";
  id: string;
  key: string;
}

/**
 * Creates the clients, each with a live and a test key, writes this many verifications since a time into the ledger,
 * and then runs the later commands of operators.
 */
export async function fillReseller(
  context: CommandContext,
  { verifications, since }: { verifications: number; since: number },
): Promise<{ keys: ClientKey[]; month: readonly Verified[] }> {
  const { config, now } = context;
  const keys: ClientKey[] = [];
  const accounts: { id: string; key: string; share: number }[] = [];
  for (const { name, email, share } of clients) {
    const { id } = await done(context, "accounts.create", { name, email });
    for (const [mode, label] of [
      ["live", "Checkout"],
      ["test", "Staging"],
    ] as const) {
      const made = await done(context, "keys.create", { account: email, mode, label });
      keys.push({ email, mode, id: made.id!, key: made.key! });
    }
    accounts.push({ id: id!, key: keys.at(-2)!.id, share });
  }
  const { fees } = context.verificationSettings();
  const zone = config.timeZone;
  const traffic = { accounts, fees, prices: config.vendorPrices, zone, since, now: now() };
  const month = [...monthOf(verifications, traffic)];
  await fillMonth(context, month, zone);
  for (const deed of deeds) await done(context, ...deed);
  return { keys, month };
}

/** Runs a command and returns its answer. Does nothing if this build lacks the command. */
export async function done(context: CommandContext, ...[id, texts]: Deed): Promise<Readonly<Record<string, string>>> {
  const found = (await context.commands(id.split(".")[0])).find((each) => each.id === id);
  if (!found) return {};
  const input = accept(found, context.role, texts, context.config.timeZone);
  return (await answered(found, input, context)) as Readonly<Record<string, string>>;
}
