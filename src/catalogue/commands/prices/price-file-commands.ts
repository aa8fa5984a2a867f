import { answerFiles } from "../../../operation/command/answer-schema.ts";
import { files, InputError } from "../../../operation/command/read-texts.ts";
import { command } from "../../../operation/command.ts";
import { nairaOf } from "../../../operation/money.ts";
import Type from "../../../operation/schema/type.ts";
import { csvTextOf } from "../../files/csv.ts";
import { readPrices } from "../../files/read-prices.ts";
import { groupsIn, type PriceRule, rulesOf } from "../../model/price-lists.ts";
import { groupIn } from "../../model/snapshot.ts";
import { roundings } from "../../prices/price-forms.ts";
import { replacingRules, timeText } from "../../prices/price-rules.ts";
import { preview, publish } from "../../revisions/publish.ts";
import { changeCommand, outcomeAnswer, previewAnswer } from "../change-answer.ts";
import { dryRun, note, roomPublisher } from "../publisher.ts";
import { findPriced, type PricedRoom } from "./priced-room.ts";

const usual = ["account", "codes", "margin", "price"];
const others = ["round", "from", "until", "group"];
const columnsAbout =
  "The columns are account (e-mail, id, or a group such as group:agents), codes (MTNDATA, MTNDATA 104, size=1GB, list=data-bundles), and margin (-2.5%, 50) " +
  "or price (95.50). A file may also have round (5 or 10), from and until (a day or a time), and group: a line with an account and a group makes the " +
  "account a member, and has nothing else.";

const importPrices = command({
  ...changeCommand,
  id: "prices.import",
  summary: "Replace the special prices of accounts with those of a CSV file.",
  description:
    `${columnsAbout} Each other line has a margin or a price.\nThe file replaces all special prices of the accounts and groups in it. Others do ` +
    "not change. Without the column group, accounts stay in their groups.\nAll lines together make one revision. If a line has a fault, nothing changes, and all faults are listed.",
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
    const publisher = roomPublisher(room);
    const now = publisher.now();
    const context = { zone: room.config.timeZone.name, now };
    const { rules, faults, hasGroups } = await readPrices(
      file[0]!,
      [...usual, ...others],
      await accountIds(room),
      context,
    );
    const plan = replacingRules(rules, faults, { now, hasGroups });
    if (dry_run) return previewAnswer(await preview(publisher, plan, {}));
    return outcomeAnswer(await publish(publisher, plan, { author: publisher.actor, source: "prices", note }));
  },
});

const exportPrices = command({
  id: "prices.export",
  summary: "Write the special prices of accounts and groups as CSV for `duba prices import`.",
  description: `${columnsAbout} Importing the exported file has no effect.`,
  role: "viewer",
  kind: "read",
  input: Type.Object({
    account: Type.Optional(
      Type.String({ description: "Only the prices of this account or group.", placeholder: "id or e-mail" }),
    ),
  }),
  answer: Type.Object({ prices: Type.Integer(), files: answerFiles }),
  view: ({ prices }) => [`The file has ${prices} special prices.`],
  examples: [{}, { account: "shop@example.com" }],
  run: async ({ account }, room: PricedRoom) => {
    const snapshot = await roomPublisher(room).latest();
    const everybody = async () => [
      ...groupsIn(snapshot).map((id) => ({ id, name: id })),
      ...(await room.accounts.all()).map(({ id, email }) => ({ id, name: email })),
    ];
    const chosen = account === undefined ? await everybody() : [await findPriced(room, snapshot, account)];
    const rows = chosen.flatMap(({ id, name }) =>
      rulesOf(groupIn(snapshot, "prices", id)).map((rule) => textsOfRule(name, rule)),
    );
    const columns = [...usual, ...others.filter((column) => rows.some((row) => row[column]))];
    const text = csvTextOf(
      columns,
      rows.map((row) => columns.map((column) => row[column] ?? "")),
    );
    return { prices: rows.length, files: [{ name: "prices.csv", text }] };
  },
});

export const priceFileCommands = [importPrices, exportPrices];

/** The ids of all accounts, by id and by e-mail. */
async function accountIds({ accounts }: PricedRoom): Promise<ReadonlyMap<string, string>> {
  const all = await accounts.all();
  return new Map(all.flatMap(({ id, email }) => [[id, id] as const, [email, id] as const]));
}

/** A rule as `readPrices` reads it. */
function textsOfRule(
  account: string,
  { of, rule, value, round, from, until, group }: PriceRule,
): Record<string, string> {
  const time = (at: number | undefined) => (at === undefined ? "" : timeText(at));
  const naira = `${value < 0 ? "-" : ""}${nairaOf(Math.abs(value))}`;
  return {
    ...{ account, codes: of, group: group ?? "" },
    margin: rule === "percent" ? `${value / 100}%` : rule === "margin" ? naira : "",
    price: rule === "price" ? naira : "",
    round: roundings.find(({ kobo }) => kobo === round)?.text ?? "",
    ...{ from: time(from), until: time(until) },
  };
}
