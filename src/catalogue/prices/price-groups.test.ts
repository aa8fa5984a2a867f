import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ListName } from "../../lists/index.ts";
import type { WantedEntry } from "../document/replace-lists.ts";
import { withLists } from "../document/replace-lists.ts";
import type { EntryContent } from "../model/lists.ts";
import { allPricedEntries, type PriceRule, priceListOf } from "../model/price-lists.ts";
import { type Document, emptySnapshot, type Snapshot } from "../model/snapshot.ts";
import { withDueRules } from "../revisions/price-rule-dates.ts";
import { joining, settingRule } from "./price-rules.ts";

/** Entries for sale. */
const sold = [
  { list: "data-bundles", codes: { type: "MTNDATA", code: "a" }, value: "1GB" },
  { list: "data-bundles", codes: { type: "MTNDATA", code: "b" }, value: "500MB" },
  { list: "data-bundles", codes: { type: "MTNDATA", code: "c" }, value: "" },
  { list: "data-bundles", codes: { type: "GLODATA", code: "a" }, value: "1 GB" },
  { list: "cable-products", codes: { type: "dstv", code: "p" } },
  { list: "cable-add-ons", codes: { type: "dstv", product_code: "p", add_on_product_code: "q" } },
] as const;

/** The scopes of rules that apply to an entry, nearest first. */
const scopesOf = ({ list, codes, ...rest }: (typeof sold)[number]): string[] => {
  const size = "value" in rest ? rest.value.replace(" ", "") : "";
  return [Object.values(codes).join(" "), codes.type, ...(size ? [`size=${size}`] : []), `list=${list}`];
};
const everyScope = [...new Set(sold.flatMap(scopesOf))];

const money = fc.integer({ min: 1, max: 2_000_000 });
const supplies = fc.array(fc.record({ price: money, cost: fc.option(money, { nil: undefined }) }), {
  minLength: sold.length,
  maxLength: sold.length,
});
/** Whole seconds, as people write them. */
const time = fc.integer({ min: 1, max: 20 }).map((seconds) => seconds * 1000);
const value = fc.oneof(
  fc.record({ rule: fc.constant("percent" as const), value: fc.integer({ min: -9_999, max: 20_000 }) }),
  fc.record({ rule: fc.constant("margin" as const), value: fc.integer({ min: -1_000_000, max: 1_000_000 }) }),
  fc.record({ rule: fc.constant("price" as const), value: money }),
);
const rules = fc.array(
  fc
    .tuple(
      fc.constantFrom("acc_1", "group:agents"),
      fc.constantFrom(...everyScope),
      value,
      fc.constantFrom(undefined, 500, 1_000),
      fc.option(time, { nil: undefined }),
      fc.option(time, { nil: undefined }),
    )
    .map(
      ([account, of, { rule, value }, round, from, length]): PriceRule => ({
        account,
        of,
        rule,
        value,
        ...(round !== undefined && { round }),
        ...(from !== undefined && { from }),
        ...(length !== undefined && { until: (from ?? 0) + length }),
      }),
    ),
  { maxLength: 14 },
);

async function catalogueOf(supply: readonly { price: number; cost?: number | undefined }[]): Promise<Document> {
  const provider = { name: "", narration: "", image: "" };
  const entriesOf = (list: ListName): WantedEntry[] =>
    sold.flatMap((each, at) => {
      if (each.list !== list) return [];
      const { price, cost } = supply[at]!;
      const words = { description: "", value: "value" in each ? each.value : "", duration: "", name: "" };
      const content: EntryContent = { ...words, ...each.codes, price, amount: price, ...(cost && { cost }) };
      return { content, place: "" };
    });
  const providers = (list: ListName, ...types: string[]) => ({
    list,
    entries: types.map((type, at) => ({ content: { type, id: at + 1, ...provider }, place: "" })),
  });
  return withLists(emptySnapshot, [
    providers("data-providers", "MTNDATA", "GLODATA"),
    providers("cable-providers", "dstv"),
    ...(["data-bundles", "cable-products", "cable-add-ons"] as const).map((list) => ({
      list,
      entries: entriesOf(list),
    })),
  ]);
}

/** The account's price, computed from the words of the documentation alone. */
function expected(
  at: number,
  supply: { price: number; cost?: number | undefined },
  scopes: string[],
  given: readonly PriceRule[],
) {
  const listed = BigInt(supply.price);
  for (const holder of ["acc_1", "group:agents"]) {
    for (const scope of scopes) {
      // Setting an equal rule again replaces the rule. A rule with an end alone begins when it is set.
      const set = new Map<number, PriceRule>();
      for (const rule of given)
        if (rule.account === holder && rule.of === scope)
          set.set(rule.from ?? (rule.until === undefined ? -1 : 0), rule);
      const [chosen] = [...set]
        .filter(([from, { until }]) => from <= at && (until === undefined || at < until))
        .sort(([one], [other]) => other - one);
      if (chosen === undefined) continue;
      const { rule, value, round } = chosen[1];
      const exact = { percent: 0n, margin: listed + BigInt(value), price: BigInt(value), group: 0n }[rule];
      // Rounds to a kobo, half a kobo up: the sum counts twice the ten thousandths of a kobo.
      let price = rule === "percent" ? (listed * BigInt(10_000 + value) * 2n + 10_000n) / 20_000n : exact;
      if (price <= 0n) price = listed;
      while (round !== undefined && price % BigInt(round) !== 0n) price += 1n;
      const cost = holder === "acc_1" || supply.cost === undefined ? 0n : BigInt(supply.cost);
      return Number(price < cost ? cost : price);
    }
  }
  return supply.price;
}

test("groups, own rules, rounding, floor and dates give the documented price, to the kobo", async () => {
  await fc.assert(
    fc.asyncProperty(
      supplies,
      rules,
      fc.array(fc.integer({ min: 0, max: 42_000 }), { maxLength: 4 }),
      async (supply, given, times) => {
        const first = { account: "group:agents", of: "list=data-bundles", rule: "margin", value: 0 } as const;
        let document = (await settingRule(first)((await catalogueOf(supply)) as Snapshot)) as Document;
        document = await joining(["acc_1"], "group:agents")(document as Snapshot);
        for (const rule of given) document = await settingRule(rule, 0)(document as Snapshot);
        for (const at of [0, ...times.toSorted((one, other) => one - other)]) {
          document = await withDueRules(document, at);
          const prices = priceListOf(document, "acc_1");
          const paid = [...allPricedEntries(document)].map(({ list, key, content }) =>
            prices.priceOf(list, key, content),
          );
          const order = ["MTNDATA a", "MTNDATA b", "MTNDATA c", "GLODATA a", "dstv p", "dstv p q"];
          const wanted = order.map((name) => {
            const place = sold.findIndex(({ codes }) => Object.values(codes).join(" ") === name);
            return expected(at, supply[place]!, scopesOf(sold[place]!), [first, ...given]);
          });
          assert.deepEqual(paid, wanted, `at ${at}`);
        }
      },
    ),
    { numRuns: 1_000 },
  );
});
