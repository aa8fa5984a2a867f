import { changed, priceChange } from "../../catalogue/commands/change-answer.ts";
import { findHolder, findPriced, holder, type PricedRoom } from "../../catalogue/commands/priced-room.ts";
import { dryRun, note, roomPublisher } from "../../catalogue/commands/publisher.ts";
import { ownPricesBelowCost, paidAtCost } from "../../catalogue/guard/own-prices.ts";
import { nameOf } from "../../catalogue/model/lists.ts";
import {
  groupJoined,
  groupMark,
  groupsIn,
  isOvertaken,
  listedPrice,
  membersOfGroup,
  pricedEntries,
  priceListOf,
  rulesOf,
} from "../../catalogue/model/price-lists.ts";
import { groupIn } from "../../catalogue/model/snapshot.ts";
import { costOf } from "../../catalogue/model/supply.ts";
import { margin, roundings, takesPrice } from "../../catalogue/prices/price-forms.ts";
import { removingRules, ruleText, settingRule } from "../../catalogue/prices/price-rules.ts";
import type { Plan } from "../../catalogue/revisions/review.ts";
import {
  account as accountFact,
  list,
  naira,
  orNull,
  reference,
  sentence,
} from "../../declare/command/answer-schema.ts";
import { endTime, positiveAmount, startTime } from "../../declare/command/forms.ts";
import { formed, InputError } from "../../declare/command/read-texts.ts";
import { command } from "../../declare/command.ts";
import Type from "../../declare/schema/type.ts";

const codesAbout =
  "A provider, or a provider and a code: MTNDATA, MTNDATA 104, dstv PRWE36, dstv PRWE36 HDPVRE36. " +
  "Or a size of data bundles, such as size=1.5GB, or a list, such as list=cable-products.";

const setPrice = priceChange({
  id: "prices.set",
  title: "Set a price…",
  summary: "Set a margin or a price for an account or a group of accounts.",
  description:
    "The rule of an entry wins over that of its provider, then that of a size, then that of a list. " +
    "A rule of an account wins over all rules of its group. The face value (amount) does not change. " +
    "Duba rounds half a kobo up. If a margin makes the price 0 or less, Duba uses the catalogue's price. " +
    "A group never pays less than the cost of an entry, where that is known. " +
    "While a rule with a time holds, it wins over the same rule without.",
  role: "operator",
  target: ["account", "codes"],
  input: Type.Object({
    account: holder,
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
    round: Type.Optional(
      Type.Enum(
        roundings.map(({ text }) => text),
        { description: "Round the price up to a multiple of 5 or 10 naira." },
      ),
    ),
    from: Type.Optional(
      formed(startTime, {
        description: "It holds from this day or time on. Default: at once.",
        placeholder: "day or time",
      }),
    ),
    until: Type.Optional(
      formed(endTime, {
        description: "The last day on which it holds, or the time at which it ends.",
        placeholder: "day or time",
      }),
    ),
    dry_run: dryRun,
    note,
  }),
  examples: [
    { account: "shop@example.com", codes: ["MTNDATA"], margin: "-2.5%" },
    { account: "shop@example.com", codes: ["dstv"], margin: "50" },
    { account: "shop@example.com", codes: ["MTNDATA", "104"], price: "95" },
    { account: "group:agents", codes: ["list=data-bundles"], margin: "3%", round: "5" },
    { account: "group:agents", codes: ["size=1GB"], margin: "-10", from: "2026-12-01", until: "2099-12-31" },
  ],
  run: async ({ account, codes, margin, price, round, from, until, ...how }, room: PricedRoom) => {
    const rule = margin ?? (price === undefined ? undefined : { rule: "price" as const, value: price });
    if (rule === undefined || (margin && price)) throw new InputError("Give either a margin or a price.");
    const of = codes.join(" ").trim();
    if (price && !takesPrice(of)) throw new InputError(`A price is of one entry. Add its code after ${of}.`);
    const now = room.now();
    if (until !== undefined && until <= Math.max(now, from ?? 0))
      throw new InputError([{ field: "until", message: "must be later than now, and than the beginning" }]);
    const kobo = roundings.find(({ text }) => text === round)?.kobo;
    const times = { ...(from !== undefined && { from }), ...(until !== undefined && { until }) };
    const { id, name } = await findHolder(room, account);
    const set = { account: id, of, ...rule, ...(kobo !== undefined && { round: kobo }), ...times };
    const answer = await change(room, { id, name }, how, settingRule(set, now));
    const atCost = await paidAtCost(await roomPublisher(room).latest(), set);
    return { ...answer, ...(atCost !== undefined && { at_cost: `The members of ${id} pay ${atCost}.` }) };
  },
});

const removePrices = priceChange({
  id: "prices.remove",
  title: "Remove a price…",
  summary: "Remove special prices of an account or a group.",
  description: "The prices of the account's group apply again, or the catalogue's. The account stays in its group.",
  role: "operator",
  target: ["account", "codes"],
  input: Type.Object({
    account: holder,
    codes: Type.Optional(Type.Array(Type.String(), { description: `${codesAbout} Default: all special prices.` })),
    dry_run: dryRun,
    note,
  }),
  examples: [{ account: "shop@example.com", codes: ["MTNDATA", "104"] }, { account: "shop@example.com" }],
  run: async ({ account, codes, ...how }, room: PricedRoom) => {
    const found = await findHolder(room, account);
    return change(room, found, how, removingRules(found.id, codes?.join(" ")));
  },
});

async function change(
  room: PricedRoom,
  { name }: Awaited<ReturnType<typeof findHolder>>,
  { note, dry_run }: { note?: string; dry_run?: true },
  plan: Plan,
) {
  return changed(room, plan, { source: "prices", note: note ?? `Prices of ${name}`, dry_run });
}

const showPrices = command({
  id: "prices.show",
  title: "Prices",
  summary: "Show the price rules of an account or a group, or what it pays for each entry of a provider.",
  role: "viewer",
  kind: "read",
  target: ["account", "provider"],
  input: Type.Object({
    account: holder,
    provider: Type.Optional(
      Type.String({
        description:
          "Code of a provider. Then the answer lists its entries with the catalogue's price, " +
          "the account's price and the cost.",
      }),
    ),
  }),
  /**
   * Rules have `of` and `price`, and also `catalogue` and `was` if the catalogue's price has risen above a fixed price,
   * and `members_pay` if a group's rule makes a price below the cost.
   * Entries have `catalogue` and all other members.
   */
  answer: Type.Array(
    Type.Object({
      of: Type.Optional(Type.String()),
      price: Type.Optional(Type.String()),
      /** The catalogue's price when the fixed price was set. */
      was: Type.Optional(naira),
      members_pay: Type.Optional(Type.String()),
      list: Type.Optional(Type.String()),
      entry: Type.Optional(Type.String()),
      catalogue: Type.Optional(naira),
      own: Type.Optional(naira),
      cost: Type.Optional(orNull({ ...naira, none: "unknown" })),
    }),
  ),
  none: "The account has no special price, or there is no such provider.",
  examples: [{ account: "shop@example.com" }, { account: "shop@example.com", provider: "MTNDATA" }],
  run: async ({ account, provider }, room: PricedRoom) => {
    const snapshot = await roomPublisher(room).latest();
    const { id } = await findPriced(room, snapshot, account);
    if (provider === undefined)
      return Promise.all(
        rulesOf(groupIn(snapshot, "prices", id)).map(async (rule) => {
          const atCost = await paidAtCost(snapshot, rule);
          return {
            of: rule.of || "group",
            price: ruleText(rule),
            ...(isOvertaken(snapshot, rule) && {
              catalogue: listedPrice(snapshot, rule.of)!,
              was: rule.listed!,
            }),
            ...(atCost !== undefined && { members_pay: atCost }),
          };
        }),
      );
    const own = priceListOf(snapshot, id);
    return [...pricedEntries(snapshot, provider)].map(({ list, key, content }) => {
      const [catalogue, paid] = [Number(content.price), own.priceOf(list, key, content)];
      return { list, entry: nameOf(list, content), catalogue, own: paid, cost: costOf(content) ?? null };
    });
  },
});

const listPriced = command({
  id: "prices.list",
  title: "Price groups",
  summary: "List the groups, and the accounts with special prices or in a group.",
  description:
    "`overtaken` counts fixed prices that are below the catalogue's price because that has risen since somebody " +
    "set them. `duba prices show` names them, and to set such a price again keeps it. " +
    "`below_cost` counts the entries that an account gets below their cost by a rule of its own.",
  role: "viewer",
  kind: "read",
  answer: Type.Array(
    Type.Object({
      id: reference,
      name: Type.String(),
      email: orNull(accountFact),
      group: orNull(Type.String({ label: "Price group" })),
      prices: Type.Integer(),
      overtaken: Type.Integer({ label: "Below the catalogue's price" }),
      below_cost: Type.Integer(),
      /** Sentences that name the first entries below their cost. */
      sentences: Type.Array(sentence),
    }),
  ),
  columns: ["id", "name", "email", "group", "prices", "overtaken", "below_cost"],
  page: [
    { name: "name", of: ({ id, name, email }) => (email === null ? `${id}, ${name}` : name) },
    ...([{ name: "email", spare: true }, "group", "prices", "overtaken", "below_cost"] as const),
  ],
  view: (rows) => [list, ...rows.flatMap(({ sentences }) => sentences.map((text) => ({ text })))],
  none: "Every account has the catalogue's prices.",
  noneThen: { says: "An account, or a group of accounts, may have prices of its own.", by: "prices.set" },
  run: async (_, room: PricedRoom) => {
    const snapshot = await roomPublisher(room).latest();
    const rowOf = async (id: string) => {
      const rules = rulesOf(groupIn(snapshot, "prices", id));
      const below = await ownPricesBelowCost(snapshot, id);
      return {
        id,
        prices: rules.filter(({ rule }) => rule !== "group").length,
        overtaken: rules.filter((rule) => isOvertaken(snapshot, rule)).length,
        below_cost: below.length,
        sentences: below.slice(0, 10),
      };
    };
    const rows = [];
    for (const id of groupsIn(snapshot)) {
      const { length } = membersOfGroup(snapshot, id);
      rows.push({
        ...(await rowOf(id)),
        name: `${length} ${length === 1 ? "account" : "accounts"}`,
        email: null,
        group: null,
      });
    }
    for (const { id, name, email } of await room.accounts.all())
      if (groupIn(snapshot, "prices", id).length > 0)
        rows.push({
          ...(await rowOf(id)),
          name,
          email,
          group: groupJoined(snapshot, id)?.slice(groupMark.length) ?? null,
        });
    return rows;
  },
});

export const priceCommands = [setPrice, showPrices, removePrices, listPriced];
