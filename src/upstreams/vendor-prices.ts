import { type CheckKind, checkKinds } from "../operation/check-kind.ts";
import { koboOf } from "../operation/money.ts";

/** What a vendor bills for a question, in kobo. `not_found`: for one about an unknown number, if that has another price. */
export type VendorPrices = Readonly<Partial<Record<CheckKind | "not_found", number>>>;

const priced = [...checkKinds, "not_found"] as const;

/** Prices as text, for a setting; empty if they are not known. */
export const vendorPrices = {
  form: "prices in naira, such as bvn=50,nin=40 or bvn=50,not_found=0",
  read(text: string): VendorPrices | undefined {
    if (text === "") return {};
    const prices: Partial<Record<(typeof priced)[number], number>> = {};
    for (const part of text.split(",")) {
      const [, word = "", amount = ""] = /^\s*(\w+)\s*=\s*([\d.]+)\s*$/.exec(part) ?? [];
      const name = priced.find((each) => each === word);
      const kobo = koboOf(amount);
      if (name === undefined || kobo === undefined || prices[name] !== undefined) return undefined;
      prices[name] = kobo;
    }
    return prices;
  },
};

/**
 * What a vendor bills for a question with this price and outcome, in kobo: nothing if it `failed`, the full price while we
 * do not know what the vendor did. Null: its price is not known.
 */
export function billed(
  { price, outcome, reason }: { price: number | null; outcome: string; reason: string | null },
  { not_found }: VendorPrices = {},
): number | null {
  if (outcome === "failed" && reason !== "bad_response") return 0;
  if (price === null) return null;
  return reason === "not_found" ? (not_found ?? price) : price;
}
