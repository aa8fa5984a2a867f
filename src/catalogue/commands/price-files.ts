import type { ChosenFile } from "../../declare/command/read-texts.ts";
import { nairaOf } from "../../declare/money.ts";
import { csvTextOf } from "../files/csv.ts";
import { readPrices } from "../files/read-prices.ts";
import { groupsIn, type PriceRule, rulesOf } from "../model/price-lists.ts";
import { groupIn, type Snapshot } from "../model/snapshot.ts";
import { roundings } from "../prices/price-forms.ts";
import { replacingRules, timeText } from "../prices/price-rules.ts";
import { changed } from "./change-answer.ts";
import { findPriced, type PricedRoom } from "./priced-room.ts";

const usual = ["account", "codes", "margin", "price"];
const others = ["round", "from", "until", "group"];
export const priceColumns =
  "The columns of prices are account (e-mail, id, or a group such as group:agents), codes (MTNDATA, MTNDATA 104, " +
  "size=1GB, list=data-bundles), and margin (-2.5%, 50) or price (95.50). " +
  "A file may also have round (5 or 10), from and until (a day or a time), and group: " +
  "a line with an account and a group makes the account a member, and has nothing else.";

/** Replaces the special prices of the accounts and groups in a file, and of no others. */
export async function importPrices(
  file: ChosenFile,
  about: { dry_run?: true | undefined; note: string },
  room: PricedRoom,
) {
  const now = room.now();
  const context = { zone: room.config.timeZone.name, now };
  const { rules, problems, hasGroups } = await readPrices(file, [...usual, ...others], await accountIds(room), context);
  return changed(room, replacingRules(rules, problems, { now, hasGroups }), { source: "prices", ...about });
}

/**
 * The special prices of one holder, or of all accounts and groups, as a file. Importing the unchanged file has no
 * effect.
 */
export async function pricesFile(snapshot: Snapshot, account: string | undefined, room: PricedRoom) {
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
  return { name: "prices.csv", text };
}

/** Account ids by id and by e-mail. */
async function accountIds({ accounts }: PricedRoom): Promise<ReadonlyMap<string, string>> {
  const all = await accounts.all();
  return new Map(all.flatMap(({ id, email }) => [[id, id] as const, [email, id] as const]));
}

/** A rule in the form that `readPrices` reads. */
function textsOfRule(
  account: string,
  { of, rule, value, round, from, until, group }: PriceRule,
): Record<string, string> {
  const time = (at: number | undefined) => (at === undefined ? "" : timeText(at));
  const naira = `${value < 0 ? "-" : ""}${nairaOf(Math.abs(value))}`;
  return {
    account,
    codes: of,
    group: group ?? "",
    margin: rule === "percent" ? `${value / 100}%` : rule === "margin" ? naira : "",
    price: rule === "price" ? naira : "",
    round: roundings.find(({ kobo }) => kobo === round)?.text ?? "",
    from: time(from),
    until: time(until),
  };
}
