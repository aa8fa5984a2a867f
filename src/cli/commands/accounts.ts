import { type Command, InvalidArgumentError, Option } from "commander";
import {
  type Account,
  changeAccount,
  createAccount,
  listAccounts,
  resumeAccount,
  suspendAccount,
  type Terms,
} from "../../access/accounts/accounts.ts";
import { settings } from "../../config/settings.ts";
import { type CheckKind, checkKinds, labelOf } from "../../operation/check-kind.ts";
import { koboOf, nairaOf } from "../../operation/money.ts";
import { withStore } from "../store.ts";
import { examples, subcommand } from "../terminal/help.ts";
import { type Io, UsageFault } from "../terminal/io.ts";
import { settingOption } from "../terminal/options.ts";
import { painter, table, timeOf } from "../terminal/table.ts";

interface Common {
  data?: string;
  json?: true;
}

/** Commander keeps no null: "default" stands for it. */
type TermOptions = Omit<Terms, "fees"> & { [Fee in `${CheckKind}Fee`]?: number | "default" };

const idOrEmail = "Id or e-mail of the account. `duba accounts list` shows both.";
const noticed = "Running instances apply it within 5 seconds.";

/** `duba accounts`: who may hold API keys, and on what terms. */
export function addAccounts(program: Command, io: Io): void {
  const about = "Manage the accounts of your customers: create, list, change, suspend, resume.";
  const accounts = subcommand(program, "accounts", about);
  addCreate(accounts, io);
  addList(accounts, io);
  addChange(accounts, io);
  addSuspend(accounts, io);
  addResume(accounts, io);
  examples(
    accounts,
    'duba accounts create --name "Corner Shop" --email shop@example.com',
    "duba accounts change shop@example.com --bvn-fee 80 --answers masked",
    "duba accounts suspend shop@example.com",
  );
}

function addCreate(accounts: Command, io: Io): void {
  const command = addFeeOptions(subcommand(accounts, "create", "Create an account."))
    .requiredOption("--name <business name>", "Name of the business. Responses with an access token show it.")
    .requiredOption(
      "--email <e-mail>",
      "E-mail of the business. It signs in with it, and you can name the account by it.",
    )
    .addOption(answersOption())
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the account as JSON")
    .action(async ({ data, json, ...terms }: Common & TermOptions & { name: string; email: string }) => {
      const { name, email } = terms;
      const account = await withStore(io, data, (store) => createAccount(store, { ...termsOf(terms), name, email }));
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
      const accounts = await withStore(io, data, ({ db }) => listAccounts(db));
      if (json) return io.out(`${JSON.stringify(accounts.map(facts), null, 2)}\n`);
      const rows = accounts.map((account) => ({
        id: account.id,
        name: account.name,
        email: account.email,
        ...Object.fromEntries(
          checkKinds.map((kind) => [
            `${kind} fee`,
            account.fees[kind] === undefined ? "default" : nairaOf(account.fees[kind]),
          ]),
        ),
        answers: account.answers,
        created: timeOf(account.createdAt),
        suspended: timeOf(account.suspendedAt),
      }));
      io.out(table(rows, painter(io.colours?.out)));
    });
  examples(command, "duba accounts list", "duba accounts list --json");
}

function addChange(accounts: Command, io: Io): void {
  const about = `Change the name or the terms of an account. Other values do not change. ${noticed} A verification keeps the fee that it started with.`;
  const command = addFeeOptions(subcommand(accounts, "change", about))
    .argument("<account>", idOrEmail)
    .option("--name <business name>", "Name of the business. Responses with an access token show it.")
    .addOption(answersOption())
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the account as JSON")
    .action(async (given: string, { data, json, ...terms }: Common & TermOptions) => {
      if (Object.keys(terms).length === 0)
        throw new UsageFault(
          `The command has nothing to change. Add --name, ${checkKinds.map((kind) => `--${kind}-fee`).join(", ")} or --answers.`,
        );
      const account = await withStore(io, data, (store) => changeAccount(store, given, termsOf(terms)));
      if (json) return io.out(`${JSON.stringify(facts(account), null, 2)}\n`);
      const fees = checkKinds.map((kind) => `${feeWords(account, kind)} for a ${labelOf(kind)}`);
      io.out(
        `Account ${account.id} (${account.name}) pays ${fees.join(" and ")}, and receives ${account.answers} records.\n`,
      );
    });
  examples(
    command,
    "duba accounts change shop@example.com --bvn-fee 80",
    "duba accounts change shop@example.com --bvn-fee default --answers masked",
  );
}

function addSuspend(accounts: Command, io: Io): void {
  const about = `Disable all keys and tokens of an account until you resume it. ${noticed}`;
  const command = subcommand(accounts, "suspend", about)
    .argument("<account>", idOrEmail)
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .action(async (given: string, { data }: Common) => {
      const account = await withStore(io, data, (store) => suspendAccount(store, given));
      io.out(`Account ${account.id} (${account.name}) is suspended since ${timeOf(account.suspendedAt)}. ${noticed}\n`);
    });
  examples(command, "duba accounts suspend shop@example.com");
}

function addResume(accounts: Command, io: Io): void {
  const command = subcommand(accounts, "resume", `Enable the keys of a suspended account again. ${noticed}`)
    .argument("<account>", idOrEmail)
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .action(async (given: string, { data }: Common) => {
      const account = await withStore(io, data, (store) => resumeAccount(store, given));
      io.out(`Account ${account.id} (${account.name}) is active. ${noticed}\n`);
    });
  examples(command, "duba accounts resume shop@example.com");
}

function feeWords({ fees }: Account, kind: CheckKind): string {
  return fees[kind] === undefined ? "the default fee" : `${nairaOf(fees[kind])} naira`;
}

function addFeeOptions(command: Command): Command {
  for (const kind of checkKinds) {
    const about = `Fee of a verified ${labelOf(kind)} in naira. "default" means the fee in ${settings[`${kind}Fee`].name}.`;
    const option = new Option(`--${kind}-fee <naira>`, about).argParser((text: string) => {
      const fee = text === "default" ? text : koboOf(text);
      if (fee === undefined) throw new InvalidArgumentError('It must be an amount such as 80 or 80.50, or "default".');
      return fee;
    });
    command.addOption(option);
  }
  return command;
}

function termsOf(given: TermOptions): Terms {
  const fees: NonNullable<Terms["fees"]> = {};
  for (const kind of checkKinds) {
    const fee = given[`${kind}Fee`];
    if (fee !== undefined) fees[kind] = fee === "default" ? null : fee;
  }
  return {
    ...(given.name === undefined ? {} : { name: given.name }),
    ...(given.answers === undefined ? {} : { answers: given.answers }),
    ...(Object.keys(fees).length === 0 ? {} : { fees }),
  };
}

function answersOption(): Option {
  const about =
    "Whole identity records, or masked ones: verified, watchlisted, the name and the number's last four digits.";
  return new Option("--answers <form>", about).choices(["full", "masked"]);
}

function facts({ id, name, email, fees, answers, createdAt, suspendedAt }: Account) {
  return {
    id,
    name,
    email,
    ...Object.fromEntries(
      checkKinds.map((kind) => [`${kind}_fee`, fees[kind] === undefined ? null : nairaOf(fees[kind])]),
    ),
    answers,
    created_at: new Date(createdAt).toISOString(),
    suspended_at: suspendedAt === null ? null : new Date(suspendedAt).toISOString(),
  };
}
