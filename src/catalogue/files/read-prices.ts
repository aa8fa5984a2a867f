import { positiveAmount } from "../../operation/command/forms.ts";
import { readChosen } from "../../operation/command/read-chosen.ts";
import type { ChosenFile } from "../../operation/command/read-texts.ts";
import { koboOf } from "../../operation/money.ts";
import { slicesOf } from "../../runtime/threads/in-thread.ts";
import type { PriceRule, Rule } from "../model/price-lists.ts";
import type { WantedRule } from "../revisions/price-rules.ts";
import { readRows } from "./csv.ts";
import { readWithErrors } from "./file-errors.ts";

const mostRules = 100_000;

interface PriceFile {
  readonly rules: readonly WantedRule[];
  /** Sentences with their place. */
  readonly faults: readonly string[];
}

export const margin = {
  form: "a margin such as -2.5%, 3%, 50 or -0.50: a percentage above -100% and at most 10000%, or naira",
  read: (text: string): { rule: Rule; value: number } | undefined => {
    const parts = /^([+-]?)(\d+(?:\.\d{1,2})?)(%?)$/.exec(text);
    const hundredths = parts ? koboOf(parts[2]!) : undefined;
    if (!parts || hundredths === undefined) return undefined;
    const value = parts[1] === "-" ? -hundredths : hundredths;
    if (parts[3] === "") return { rule: "margin", value };
    return value <= -10_000 || value > 1_000_000 ? undefined : { rule: "percent", value };
  },
};

/** Reads a CSV file with these columns in a thread. `idOf`: ids of accounts by id and by e-mail. */
export async function readPrices(
  file: ChosenFile,
  columns: readonly string[],
  idOf: ReadonlyMap<string, string>,
): Promise<PriceFile> {
  const rules: WantedRule[] = [];
  const faults: string[] = [];
  for await (const part of readChosen(file, import.meta.url, partsOfPrices, columns, idOf)) {
    rules.push(...part.rules);
    faults.push(...part.faults);
  }
  return { rules, faults };
}

/** For the thread. */
export function* partsOfPrices(
  bytes: Uint8Array,
  columns: readonly string[],
  idOf: ReadonlyMap<string, string>,
): Generator<PriceFile, void> {
  const rules: WantedRule[] = [];
  const wanted = { of: "prices", all: columns, needed: ["account", "codes"] };
  const { faults, isStopped } = readWithErrors((fault) =>
    readRows(bytes, wanted, fault, ({ values, place }) => {
      const { account = "", codes = "" } = values;
      const id = idOf.get(account.trim()) ?? idOf.get(account.trim().toLowerCase());
      const of = codes.trim().replace(/\s+/g, " ");
      const value = readValue(values.margin?.trim() ?? "", values.price?.trim() ?? "", of);
      if (id === undefined) fault(place, "no account has this id or e-mail in account");
      if (of === "") fault(place, "codes is empty: name a provider, or a provider and a code");
      if (typeof value === "string") fault(place, value);
      else if (id !== undefined && of !== "") rules.push({ rule: { account: id, of, ...value }, place });
      if (rules.length > mostRules)
        fault(
          place,
          `is more than the ${mostRules.toLocaleString("en")} prices of a file: put each account's in one of several files`,
          true,
        );
    }),
  );
  yield { rules: [], faults: faults.map(({ place, sentence }) => `${place && `${place}: `}${sentence}.`) };
  if (!isStopped) for (const slice of slicesOf(rules)) yield { rules: slice, faults: [] };
}

/** The rule, or what is wrong with it. */
function readValue(marginText: string, priceText: string, of: string): Pick<PriceRule, "rule" | "value"> | string {
  if ((marginText === "") === (priceText === "")) return "needs either a margin or a price";
  if (priceText === "") return margin.read(marginText) ?? `margin must be ${margin.form}`;
  const value = positiveAmount.read(priceText);
  if (value === undefined) return `price must be ${positiveAmount.form}`;
  return of.includes(" ") ? { rule: "price", value } : "a price needs one entry: add its code after the provider";
}
