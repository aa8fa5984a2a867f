import { account as accountFact, naira, reference } from "../../operation/command/answer-schema.ts";
import { positiveAmount } from "../../operation/command/forms.ts";
import { formed, InputError } from "../../operation/command/read-texts.ts";
import { command } from "../../operation/command.ts";
import Type from "../../operation/schema/type.ts";
import { margin } from "../files/read-prices.ts";
import { nameOf } from "../model/lists.ts";
import { isOvertaken, listedPrice, pricedEntries, priceListOf, rulesOf } from "../model/price-lists.ts";
import { groupIn } from "../model/snapshot.ts";
import { removingRules, ruleText, settingRule } from "../revisions/price-rules.ts";
import { publish } from "../revisions/publish.ts";
import type { Plan } from "../revisions/review.ts";
import { changeCommand, outcomeAnswer } from "./change-answer.ts";
import { type CatalogueRoom, note, roomPublisher } from "./publisher.ts";

/** What these commands need of the room of accounts. */
export interface PricedAccounts {
  accounts: {
    /** The account with this id or e-mail. Throws if there is none. */
    find(idOrEmail: string): Promise<{ id: string; email: string }>;
    /** All accounts, oldest first. */
    all(): Promise<readonly { id: string; name: string; email: string }[]>;
  };
}

export type PricedRoom = CatalogueRoom & PricedAccounts;

const account = Type.String({ description: "E-mail or id of the account." });
const codesAbout = "A provider, or a provider and a code: MTNDATA, MTNDATA 104, dstv PRWE36, dstv PRWE36 HDPVRE36.";

const setPrice = command({
  ...changeCommand,
  id: "prices.set",
  summary: "Set a margin for a provider or for one entry, or a price for one entry.",
  description:
    "The rule of an entry wins over the rule of its provider. The face value (amount) does not change. Duba rounds half a kobo up. " +
    "If a margin makes the price 0 or less, Duba uses the catalogue's price.",
  role: "operator",
  kind: "change",
  gives: "money",
  target: ["account", "codes"],
  input: Type.Object({
    account,
    codes: Type.Array(Type.String(), { description: codesAbout }),
    margin: Type.Optional(
      formed(margin, {
        description:
          "Percent (-2.5%) or naira (50, or -0.50) to add to the catalogue's price. A negative margin is a discount.",
        placeholder: "percent or naira",
      }),
    ),
    price: Type.Optional(
      formed(positiveAmount, { description: "Price in naira, such as 95 or 95.50.", placeholder: "naira" }),
    ),
    note,
  }),
  examples: [
    { account: "shop@example.com", codes: ["MTNDATA"], margin: "-2.5%" },
    { account: "shop@example.com", codes: ["dstv"], margin: "50" },
    { account: "shop@example.com", codes: ["MTNDATA", "104"], price: "95" },
  ],
  run: async ({ account, codes, margin, price, note }, room: PricedRoom) => {
    const rule = margin ?? (price === undefined ? undefined : { rule: "price" as const, value: price });
    if (rule === undefined || (margin && price)) throw new InputError("Give either a margin or a price.");
    const of = codes.join(" ").trim();
    if (price && !of.includes(" ")) throw new InputError(`A price is of one entry. Add its code after ${of}.`);
    return change(room, account, note, (id) => settingRule({ account: id, of, ...rule }));
  },
});

const removePrices = command({
  ...changeCommand,
  id: "prices.remove",
  summary: "Remove special prices of an account. The catalogue's prices apply again.",
  role: "operator",
  kind: "change",
  gives: "money",
  target: ["account", "codes"],
  input: Type.Object({
    account,
    codes: Type.Optional(
      Type.Array(Type.String(), { description: `${codesAbout} Default: all special prices of the account.` }),
    ),
    note,
  }),
  examples: [{ account: "shop@example.com", codes: ["MTNDATA", "104"] }, { account: "shop@example.com" }],
  run: async ({ account, codes, note }, room: PricedRoom) =>
    change(room, account, note, (id) => removingRules(id, codes?.join(" "))),
});

async function change(room: PricedRoom, account: string, note: string | undefined, planFor: (id: string) => Plan) {
  const { id, email } = await room.accounts.find(account);
  const about = { author: room.actor, source: "prices", note: note ?? `Prices of ${email}` };
  return outcomeAnswer(await publish(roomPublisher(room), planFor(id), about));
}

const showPrices = command({
  id: "prices.show",
  summary: "Show the price rules of an account, or its prices for one provider.",
  role: "viewer",
  kind: "read",
  target: ["account", "provider"],
  input: Type.Object({
    account,
    provider: Type.Optional(
      Type.String({
        description:
          "Code of a provider. Then the answer lists its entries with the catalogue's price and the account's price.",
      }),
    ),
  }),
  /** Rules have `of` and `price`, and `catalogue` and `was` if the catalogue's price has risen above a fixed one; entries all else. */
  answer: Type.Array(
    Type.Object({
      of: Type.Optional(Type.String()),
      price: Type.Optional(Type.String()),
      /** The catalogue's price when a fixed price was set. */
      was: Type.Optional(naira),
      list: Type.Optional(Type.String()),
      entry: Type.Optional(Type.String()),
      catalogue: Type.Optional(naira),
      own: Type.Optional(naira),
    }),
  ),
  none: "The account has no special price, or there is no such provider.",
  examples: [{ account: "shop@example.com" }, { account: "shop@example.com", provider: "MTNDATA" }],
  run: async ({ account, provider }, room: PricedRoom) => {
    const { id } = await room.accounts.find(account);
    const snapshot = await roomPublisher(room).latest();
    if (provider === undefined)
      return rulesOf(groupIn(snapshot, "prices", id)).map((rule) => ({
        ...{ of: rule.of, price: ruleText(rule) },
        ...(isOvertaken(snapshot, rule) && {
          catalogue: listedPrice(snapshot, rule.of)!,
          was: rule.listed!,
        }),
      }));
    const own = priceListOf(snapshot, id);
    return [...pricedEntries(snapshot, provider)].map(({ list, key, content }) => {
      const price = Number(content.price);
      return { list, entry: nameOf(list, content), catalogue: price, own: own.priceOf(key, price) };
    });
  },
});

const listPriced = command({
  id: "prices.list",
  summary: "List the accounts with special prices.",
  description:
    "`overtaken` counts fixed prices that are below the catalogue's price because that has risen since somebody set them. `duba prices " +
    "show` names them, and to set such a price again keeps it.",
  role: "viewer",
  kind: "read",
  input: Type.Object({}),
  answer: Type.Array(
    Type.Object({
      ...{ id: reference, name: Type.String(), email: accountFact },
      ...{ prices: Type.Integer(), overtaken: Type.Integer() },
    }),
  ),
  examples: [{}],
  run: async (_, room: PricedRoom) => {
    const snapshot = await roomPublisher(room).latest();
    return (await room.accounts.all()).flatMap(({ id, name, email }) => {
      const rules = rulesOf(groupIn(snapshot, "prices", id));
      const overtaken = rules.filter((rule) => isOvertaken(snapshot, rule)).length;
      return rules.length === 0 ? [] : [{ id, name, email, prices: rules.length, overtaken }];
    });
  },
});

export const priceCommands = [setPrice, showPrices, removePrices, listPriced];
