import { type Command, InvalidArgumentError, Option } from "commander";
import { findAccount, listAccounts } from "../../access/accounts/accounts.ts";
import { nameOf } from "../../catalogue/model/lists.ts";
import { pricedEntries, priceListOf, type Rule, rulesOf } from "../../catalogue/model/price-lists.ts";
import { groupIn } from "../../catalogue/model/snapshot.ts";
import { removingRules, ruleText, settingRule } from "../../catalogue/revisions/price-rules.ts";
import { type Plan, publish } from "../../catalogue/revisions/publish.ts";
import { settings } from "../../config/settings.ts";
import { koboOf, nairaOf } from "../../operation/money.ts";
import { examples, subcommand } from "../terminal/help.ts";
import { type Io, UsageFault } from "../terminal/io.ts";
import { settingOption } from "../terminal/options.ts";
import { painter, table } from "../terminal/table.ts";
import { printOutcome } from "./catalogue/outcome.ts";
import { authorOption, type ChangeOptions, noteOption, withCatalogue } from "./catalogue/with-catalogue.ts";

interface Common {
  data?: string;
  json?: true;
}

/** A price rule. `value` is hundredths of a percent, or kobo. */
interface Given {
  rule: Rule;
  value: number;
}

/** `duba prices`: the special prices of accounts. */
export function addPrices(program: Command, io: Io): void {
  const about =
    "Manage the special prices of accounts: set, show, remove, list. Each change makes a new revision of the catalogue. " +
    "`duba catalogue history` shows it, and `duba catalogue revert` undoes it.";
  const prices = subcommand(program, "prices", about);
  addSet(prices, io);
  addShow(prices, io);
  addRemove(prices, io);
  addList(prices, io);
  examples(
    prices,
    "duba prices set shop@example.com MTNDATA --margin=-2.5%",
    "duba prices set shop@example.com MTNDATA 104 --price 95",
    "duba prices show shop@example.com MTNDATA",
  );
}

const accountArgument = ["<account>", "E-mail or id of the account."] as const;
const codes = "A provider, or a provider and a code: MTNDATA, MTNDATA 104, dstv PRWE36, dstv PRWE36 HDPVRE36.";

function addSet(prices: Command, io: Io): void {
  const about = `Set a margin for a provider or for one entry, or a price for one entry. The rule of an entry wins over the rule of its
provider. The face value (amount) does not change. Duba rounds half a kobo up. If a margin makes the price 0 or less, Duba uses
the catalogue's price.`;
  const command = subcommand(prices, "set", about)
    .argument(...accountArgument)
    .argument("<codes...>", codes)
    .addOption(marginOption())
    .addOption(priceOption())
    .addOption(noteOption())
    .addOption(authorOption())
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the outcome as JSON")
    .action(async (account: string, of: string[], options: ChangeOptions & { margin?: Given; price?: Given }) => {
      const { margin, price } = options;
      const given = margin ?? price;
      if (given === undefined || (margin && price)) throw new UsageFault("Use either --margin or --price.");
      if (price && of.length === 1) throw new UsageFault(`--price needs one entry. Add its code after ${of[0]}.`);
      const planFor = (id: string) => settingRule({ account: id, of: of.join(" "), ...given });
      await change(io, account, options, planFor);
    });
  examples(
    command,
    "duba prices set shop@example.com MTNDATA --margin=-2.5%",
    "duba prices set shop@example.com dstv --margin 50",
    "duba prices set shop@example.com MTNDATA 104 --price 95",
  );
}

function marginOption(): Option {
  const about =
    "Percent (-2.5%) or naira (50, or -0.50) to add to the catalogue's price. A negative margin is a discount.";
  return new Option("--margin <percent or naira>", about).argParser((text: string): Given => {
    const parts = /^([+-]?)(\d+(?:\.\d{1,2})?)(%?)$/.exec(text);
    const hundredths = parts ? koboOf(parts[2]!) : undefined;
    if (!parts || hundredths === undefined)
      throw new InvalidArgumentError("It must be a margin such as -2.5%, 3%, 50 or -0.50.");
    const value = parts[1] === "-" ? -hundredths : hundredths;
    if (parts[3] === "") return { rule: "margin", value };
    if (value <= -10_000 || value > 1_000_000)
      throw new InvalidArgumentError("It must be above -100% and at most 10000%.");
    return { rule: "percent", value };
  });
}

function priceOption(): Option {
  return new Option("--price <naira>", "Price in naira, such as 95 or 95.50.").argParser((text: string): Given => {
    const value = koboOf(text);
    if (!value) throw new InvalidArgumentError('It must be an amount in naira above 0, such as "95" or "95.50".');
    return { rule: "price", value };
  });
}

function addRemove(prices: Command, io: Io): void {
  const command = subcommand(
    prices,
    "remove",
    "Remove special prices of an account. The catalogue's prices apply again.",
  )
    .argument(...accountArgument)
    .argument("[codes...]", `${codes} Default: all special prices of the account.`)
    .addOption(noteOption())
    .addOption(authorOption())
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the outcome as JSON")
    .action(async (account: string, of: string[], options: ChangeOptions) => {
      await change(io, account, options, (id) => removingRules(id, of.length === 0 ? undefined : of.join(" ")));
    });
  examples(command, "duba prices remove shop@example.com MTNDATA 104", "duba prices remove shop@example.com");
}

async function change(io: Io, account: string, options: ChangeOptions, planFor: (accountId: string) => Plan) {
  await withCatalogue(io, options, async (publisher) => {
    const { id, email } = await findAccount(publisher.db, account);
    const { note = `Prices of ${email}` } = options;
    const outcome = await publish(publisher, planFor(id), { author: publisher.actor, source: "prices", note });
    printOutcome(io, outcome, options);
  });
}

function addShow(prices: Command, io: Io): void {
  const about = "Show the price rules of an account, or its prices for one provider.";
  const command = subcommand(prices, "show", about)
    .argument(...accountArgument)
    .argument(
      "[provider]",
      "Code of a provider. The command then lists its entries with the catalogue's price and the account's price.",
    )
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the prices as JSON")
    .action(async (account: string, provider: string | undefined, { data, json }: Common) => {
      const rows = await withCatalogue(io, { data }, async ({ db, latest }) => {
        const { id } = await findAccount(db, account);
        const snapshot = await latest();
        if (provider === undefined)
          return rulesOf(groupIn(snapshot, "prices", id)).map((rule) => ({ of: rule.of, price: ruleText(rule) }));
        const own = priceListOf(snapshot, id);
        return [...pricedEntries(snapshot, provider)].map(({ list, key, content }) => {
          const price = Number(content.price);
          return {
            list,
            entry: nameOf(list, content),
            catalogue: nairaOf(price),
            own: nairaOf(own?.priceOf(key, price) ?? price),
          };
        });
      });
      io.out(json ? `${JSON.stringify(rows, null, 2)}\n` : table(rows, painter(io.colours?.out)));
    });
  examples(command, "duba prices show shop@example.com", "duba prices show shop@example.com MTNDATA");
}

function addList(prices: Command, io: Io): void {
  const command = subcommand(prices, "list", "List the accounts with special prices.")
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the accounts as JSON")
    .action(async ({ data, json }: Common) => {
      const rows = await withCatalogue(io, { data }, async ({ db, latest }) => {
        const { groups } = await latest();
        const accounts = await listAccounts(db);
        return accounts.flatMap(({ id, name, email }) => {
          const rules = groups.prices.get(id)?.length;
          return rules === undefined ? [] : [{ id, name, email, prices: rules }];
        });
      });
      io.out(json ? `${JSON.stringify(rows, null, 2)}\n` : table(rows, painter(io.colours?.out)));
    });
  examples(command, "duba prices list");
}
