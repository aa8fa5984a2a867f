import { answerFiles } from "../../operation/command/answer-schema.ts";
import { files, InputError } from "../../operation/command/read-texts.ts";
import { command } from "../../operation/command.ts";
import { nairaOf } from "../../operation/money.ts";
import Type from "../../operation/schema/type.ts";
import { csvTextOf } from "../files/csv.ts";
import { readPrices } from "../files/read-prices.ts";
import { type PriceRule, rulesOf } from "../model/price-lists.ts";
import { groupIn } from "../model/snapshot.ts";
import { replacingRules } from "../revisions/price-rules.ts";
import { preview, publish } from "../revisions/publish.ts";
import { changeCommand, outcomeAnswer, previewAnswer } from "./change-answer.ts";
import type { PricedRoom } from "./price-commands.ts";
import { dryRun, note, roomPublisher } from "./publisher.ts";

const columns = ["account", "codes", "margin", "price"];
const columnsAbout =
  "The columns are account (e-mail or id), codes (MTNDATA, MTNDATA 104, dstv PRWE36), and margin (-2.5%, 50) or price (95.50).";

const importPrices = command({
  ...changeCommand,
  id: "prices.import",
  summary: "Replace the special prices of accounts with those of a CSV file.",
  description:
    `${columnsAbout} Each line has a margin or a price.\nThe file replaces all special prices of the accounts in it. Accounts that are ` +
    "not in the file do not change.\nAll lines together make one revision. If a line has a fault, nothing changes, and all faults are listed.",
  role: "operator",
  kind: "change",
  gives: "money",
  givesNothing: ({ dry_run }) => dry_run === true,
  target: ["file"],
  input: Type.Object({
    file: files({ description: "One CSV file, as `duba prices export` writes it." }),
    dry_run: dryRun,
    note,
  }),
  examples: [
    { file: ["prices.csv"], dry_run: true },
    { file: ["prices.csv"], note: "Discounts of December" },
  ],
  run: async ({ file, dry_run, note = "Prices from a file" }, room: PricedRoom) => {
    if (file.length > 1) throw new InputError("Name one file only.");
    const { rules, faults } = await readPrices(file[0]!, columns, await accountIds(room));
    const publisher = roomPublisher(room);
    const plan = replacingRules(rules, faults);
    if (dry_run) return previewAnswer(await preview(publisher, plan, {}));
    return outcomeAnswer(await publish(publisher, plan, { author: publisher.actor, source: "prices", note }));
  },
});

const exportPrices = command({
  id: "prices.export",
  summary: "Write the special prices of accounts as CSV for `duba prices import`.",
  description: `${columnsAbout} Importing the exported file has no effect.`,
  role: "viewer",
  kind: "read",
  input: Type.Object({
    account: Type.Optional(
      Type.String({ description: "Only the prices of this account.", placeholder: "id or e-mail" }),
    ),
  }),
  answer: Type.Object({ prices: Type.Integer(), files: answerFiles }),
  view: ({ prices }) => [`The file has ${prices} special prices.`],
  examples: [{}, { account: "shop@example.com" }],
  run: async ({ account }, room: PricedRoom) => {
    const chosen = account === undefined ? await room.accounts.all() : [await room.accounts.find(account)];
    const snapshot = await roomPublisher(room).latest();
    const rows = chosen.flatMap(({ id, email }) =>
      rulesOf(groupIn(snapshot, "prices", id)).map((rule) => [email, rule.of, ...valueTexts(rule)]),
    );
    return { prices: rows.length, files: [{ name: "prices.csv", text: csvTextOf(columns, rows) }] };
  },
});

export const priceFileCommands = [importPrices, exportPrices];

/** The ids of all accounts, by id and by e-mail. */
async function accountIds({ accounts }: PricedRoom): Promise<ReadonlyMap<string, string>> {
  const all = await accounts.all();
  return new Map(all.flatMap(({ id, email }) => [[id, id] as const, [email, id] as const]));
}

/** The texts of `margin` and `price`, as `readRule` reads them. */
function valueTexts({ rule, value }: PriceRule): [margin: string, price: string] {
  if (rule === "price") return ["", nairaOf(value)];
  if (rule === "percent") return [`${value / 100}%`, ""];
  return [`${value < 0 ? "-" : ""}${nairaOf(Math.abs(value))}`, ""];
}
