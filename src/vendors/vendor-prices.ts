import { type CheckKind, checkKinds, negativeReasons } from "../declare/check-kind.ts";
import { koboOf } from "../declare/money.ts";
import type { OutcomeFacts } from "./ports/identity-upstream.ts";

/**
 * A vendor's prices in kobo. `bvn`: each check of that kind. `bvn.not_found`: that outcome, if it has another price.
 * `*.failed`: that outcome for every kind.
 */
export type VendorPrices = Readonly<Partial<Record<string, number>>>;

/** Prices by vendor. */
export type PricesByVendor = Readonly<Record<string, VendorPrices>>;

const ends = [...negativeReasons, "failed"];
const names = new Set([...checkKinds, ...[...checkKinds, "*"].flatMap((kind) => ends.map((end) => `${kind}.${end}`))]);

/** The form of a setting with one vendor's prices; empty if they are unknown. */
export const vendorPrices = {
  form: "prices in naira, such as bvn=50,nin=40 or bvn=50,bvn.not_found=0,*.failed=5",
  read(text: string): VendorPrices | undefined {
    if (text === "") return {};
    const prices: Partial<Record<string, number>> = {};
    for (const part of text.split(",")) {
      const [, name = "", amount = ""] = /^\s*([\w.*]+)\s*=\s*([\d.]+)\s*$/.exec(part) ?? [];
      const kobo = koboOf(amount);
      if (!names.has(name) || kobo === undefined || prices[name] !== undefined) return undefined;
      prices[name] = kobo;
    }
    return prices;
  },
};

/**
 * The form of a setting with several vendors' prices. Each part begins with a vendor's name; `dojah=50` is the price of
 * all its kinds.
 */
export const pricesByVendor = (vendors: readonly string[]) => ({
  form: "prices in naira, such as dojah=50,prembly.bvn=45,prembly.bvn.not_found=0,prembly.*.failed=5, or empty",
  read(text: string): PricesByVendor | undefined {
    const parts = text === "" ? [] : text.split(",").map((part) => part.trim());
    const byVendor = Map.groupBy(parts, (part) => /^\w+/.exec(part)?.[0] ?? "");
    const prices: Record<string, VendorPrices> = {};
    for (const [vendor, own] of byVendor) {
      const priced = own.flatMap((part) => {
        const price = part.slice(vendor.length);
        return price.startsWith("=") ? checkKinds.map((kind) => `${kind}${price}`) : price.replace(/^\./, "");
      });
      const isFit = vendors.includes(vendor) && own.every((part) => part.includes("="));
      const read = isFit ? vendorPrices.read(priced.join()) : undefined;
      if (!read) return undefined;
      prices[vendor] = read;
    }
    return prices;
  },
});

/** The facts of an attempt that decide its bill. */
export interface BilledAttempt {
  kind: CheckKind;
  /** The vendor's price for this kind at the time of the attempt, in kobo. Null: unknown. */
  price: number | null;
  outcome: string;
  reason: string | null;
  /** The vendor's own statement. Null: none. */
  billed: OutcomeFacts["billed"] | null;
}

/** The bill of an attempt. */
export interface Bill {
  /** Kobo. Null: the price is unknown. */
  kobo: number | null;
  /** False: it is unknown whether the vendor bills the attempt, so it counts as billed. */
  isCertain: boolean;
}

/** The highest possible bill for an attempt of a kind, in kobo. Null: the price is unknown. */
export function highestBill(kind: CheckKind, prices: VendorPrices = {}): number | null {
  const ofKind = Object.entries(prices).filter(([name]) => name.startsWith(kind) || name.startsWith("*"));
  return prices[kind] === undefined ? null : Math.max(...ofKind.map(([, kobo]) => kobo!));
}

/**
 * The vendor's bill for an attempt at these prices. A failed attempt is free unless the vendor or a price says
 * otherwise, or we rejected the response. Then it counts as billed, uncertainly if the vendor does not state it.
 */
export function billOf({ kind, price, outcome, reason, billed }: BilledAttempt, prices: VendorPrices = {}): Bill {
  const of = (end: string | null) => priceAt(kind, end, prices);
  if (outcome === "unknown") return { kobo: price, isCertain: false };
  // This comes before `billed`, because an invoice line overrides the vendor's earlier statement.
  if (reason === "record_lost") return { kobo: price, isCertain: true };
  if (billed === "no" || reason === "released") return { kobo: 0, isCertain: true };
  const isCertain = billed !== "unknown";
  if (outcome === "verified") return { kobo: price, isCertain };
  if (outcome === "negative") return { kobo: of(reason) ?? price, isCertain };
  if (billed !== null) return { kobo: of("failed") ?? price, isCertain };
  return reason === "bad_response"
    ? { kobo: of("failed") ?? price, isCertain: false }
    : { kobo: of("failed") ?? 0, isCertain };
}

/** Attempts by outcome. */
export type OutcomeCounts = Record<"verified" | "negative" | "failed" | "unknown", number>;

/**
 * The vendor's bill for these numbers of attempts, if all negative outcomes were `not_found`. Undefined: the kind has
 * no price.
 */
export function billOfOutcomes(kind: CheckKind, counts: OutcomeCounts, prices: VendorPrices = {}): number | undefined {
  const price = prices[kind];
  if (price === undefined) return undefined;
  const bill = (outcome: keyof OutcomeCounts, reason: string | null) =>
    counts[outcome] * billOf({ kind, price, outcome, reason, billed: null }, prices).kobo!;
  return bill("verified", null) + bill("negative", "not_found") + bill("failed", null) + bill("unknown", null);
}

/**
 * Reads an outcome from the amount of a bill: the only outcome with this price. Undefined if several or none have it.
 */
export function outcomeBilledAt(
  kobo: number | null,
  { kind, price }: Pick<BilledAttempt, "kind" | "price">,
  prices: VendorPrices = {},
): string | undefined {
  const found = ["verified", ...ends].filter(
    (end) => kobo !== null && kobo === (priceAt(kind, end, prices) ?? (end === "failed" ? 0 : price)),
  );
  return found.length === 1 ? found[0] : undefined;
}

function priceAt(kind: CheckKind, end: string | null, prices: VendorPrices): number | undefined {
  return prices[`${kind}.${end}`] ?? prices[`*.${end}`];
}
