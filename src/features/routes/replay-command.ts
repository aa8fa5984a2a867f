import { checkKinds } from "../../declare/check-kind.ts";
import { list, naira, orNull, time } from "../../declare/command/answer-schema.ts";
import { formed, InputError } from "../../declare/command/read-texts.ts";
import { joinTexts, richText } from "../../declare/command/rich-text.ts";
import { command } from "../../declare/command.ts";
import Type from "../../declare/schema/type.ts";
import { period, periodOf } from "../../ledger/commands/period.ts";
import type { TimeZone } from "../../runtime/time-zone.ts";
import type { Audited, WithClock } from "../../storage/audited.ts";
import { vendors } from "../../vendors/registry.ts";
import { type VendorPrices, vendorPrices } from "../../vendors/vendor-prices.ts";
import { enoughAnswers } from "../../verification/routes/order-vendors.ts";
import { replayPeriod } from "./replay-routes.ts";
import { rounded } from "./vendor-rows.ts";

/** A vendor with its prices. */
const pricedVendor = {
  form: `a vendor and its prices in naira, such as prembly:bvn=45 or dojah:bvn=50,nin=40. Vendors: ${vendors.map(({ name }) => name).join(", ")}`,
  read(text: string): { vendor: string; prices: VendorPrices } | undefined {
    const [vendor = "", ...rest] = text.split(":");
    const prices = vendorPrices.read(rest.join(":"));
    const isOne = vendors.some(({ name }) => name === vendor) && prices !== undefined && Object.keys(prices).length > 0;
    return isOne ? { vendor, prices } : undefined;
  },
};

interface Configured {
  timeZone: TimeZone;
  vendorPrices: Readonly<Record<string, VendorPrices>>;
}

const percent = { unit: "%" };

export const replayRoutes = command({
  id: "routes.replay",
  title: "Replay a month with another order",
  summary: "Show what live verifications of a period cost and found, and what they would have with each vendor first.",
  description:
    "Duba assumes that the first vendor is asked about everybody who got an outcome. " +
    "Those for whom it fails go to the other vendors, which do as they did on average. " +
    "The share of people found is between low and high with a certainty of 95 %. Days are those of DUBA_TIME_ZONE.",
  role: "viewer",
  kind: "read",
  reports: true,
  input: Type.Object({
    ...period,
    price: Type.Optional(
      Type.Array(formed(pricedVendor, { description: "" }), {
        description: "What a vendor would have billed, such as dojah:bvn=45. Default: what it did bill.",
        placeholder: "vendor:prices",
      }),
    ),
  }),
  answer: Type.Object({
    from: time,
    to: time,
    unpriced: Type.Array(Type.String()),
    orders: Type.Array(
      Type.Object({
        kind: Type.Enum([...checkKinds], { label: "Check" }),
        first: orNull(Type.String({ none: "as it was" })),
        answers: Type.Integer(),
        found_rate: orNull(Type.Number({ ...percent, none: "not enough" })),
        low: orNull(Type.Number({ ...percent, label: "At least" })),
        high: orNull(Type.Number({ ...percent, label: "At most" })),
        found: orNull(Type.Integer({ label: "People found" })),
        cost: orNull(naira),
        cost_per_found: orNull(naira),
      }),
    ),
  }),
  view: ({ from, to, orders, unpriced }, { at }) => [
    { note: `Live, from ${at(from)} until ${at(to)}.` },
    list,
    ...(orders.length === 0
      ? []
      : [
          "",
          "A vendor is judged by the people that it was asked about. One that was only asked when others failed " +
            "saw other people than it would as the first.",
          ...(orders.some(({ found_rate: rate }) => rate === null)
            ? [`Not enough: with fewer than ${enoughAnswers} answers nobody can say how often a vendor finds a person.`]
            : []),
          ...(unpriced.length === 0
            ? []
            : [
                {
                  text: richText`What ${joinTexts(
                    unpriced.map((vendor) => [{ vendor }]),
                    " and ",
                  )} billed is not known and counts as 0. Give its price, such as ${unpriced[0]!}:bvn=45.`,
                },
              ]),
        ]),
  ],
  none: "No live verification asked a vendor in the period.",
  examples: [
    { from: "2026-10-01", to: "2026-10-31" },
    { from: "2026-10-01", to: "2026-10-31", price: ["prembly:bvn=45"] },
  ],
  run: async (
    { price = [], ...days },
    { db, now, config }: Pick<Audited, "db"> & WithClock & { config: Configured },
  ) => {
    const prices = Object.fromEntries(price.map(({ vendor, prices }) => [vendor, prices]));
    if (Object.keys(prices).length < price.length) throw new InputError("Give the prices of a vendor once.");
    const { from, to } = periodOf(days, config.timeZone, now());
    const { orders, unpriced } = await replayPeriod(db, { from, to }, prices, config.vendorPrices);
    return {
      from,
      to,
      unpriced,
      orders: orders.map(({ foundRate, low, high, costPerFound, ...one }) => ({
        ...one,
        found_rate: rounded(foundRate),
        low: rounded(low),
        high: rounded(high),
        cost_per_found: costPerFound,
      })),
    };
  },
});
