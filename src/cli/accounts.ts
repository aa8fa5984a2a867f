import type { Command } from "commander";
import { type Account, createAccount, listAccounts } from "../access/accounts.ts";
import { settings } from "../config.ts";
import { examples, subcommand } from "./help.ts";
import type { Io } from "./io.ts";
import { settingOption } from "./options.ts";
import { withStore } from "./store.ts";
import { painter, table, timeOf } from "./table.ts";

interface Common {
  data?: string;
  json?: true;
}

/** `duba accounts`: who may hold API keys. */
export function addAccounts(program: Command, io: Io): void {
  const accounts = subcommand(program, "accounts", "Businesses that hold API keys: create, list.");
  addCreate(accounts, io);
  addList(accounts, io);
  examples(accounts, 'duba accounts create --name "Corner Shop" --email shop@example.com', "duba accounts list");
}

function addCreate(accounts: Command, io: Io): void {
  const command = subcommand(accounts, "create", "Create an account.")
    .requiredOption("--name <business name>", "Name of the business, as token answers show it.")
    .requiredOption("--email <e-mail>", "E-mail of the business: what it signs in with, and yours to name it by.")
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the account as JSON")
    .action(async ({ name, email, data, json }: Common & { name: string; email: string }) => {
      const account = await withStore(io, data, (db) => createAccount(db, { name, email }));
      if (json) return io.out(`${JSON.stringify(facts(account), null, 2)}\n`);
      io.out(`Account ${account.id} is created for ${account.name}.\n`);
      io.err(`Give it a key: duba keys create --account ${account.email}\n`);
    });
  examples(command, 'duba accounts create --name "Corner Shop" --email shop@example.com');
}

function addList(accounts: Command, io: Io): void {
  const command = subcommand(accounts, "list", "List all accounts, oldest first.")
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the accounts as JSON")
    .action(async ({ data, json }: Common) => {
      const accounts = await withStore(io, data, listAccounts);
      if (json) return io.out(`${JSON.stringify(accounts.map(facts), null, 2)}\n`);
      const rows = accounts.map(({ id, name, email, createdAt }) => ({ id, name, email, created: timeOf(createdAt) }));
      io.out(table(rows, painter(io.colours?.out)));
    });
  examples(command, "duba accounts list", "duba accounts list --json");
}

function facts({ id, name, email, createdAt }: Account) {
  return { id, name, email, created_at: new Date(createdAt).toISOString() };
}
