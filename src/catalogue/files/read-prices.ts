import { endTime, positiveAmount, startTime } from "../../declare/command/forms.ts";
import { readChosen } from "../../declare/command/read-chosen.ts";
import type { ChosenFile } from "../../declare/command/read-texts.ts";
import { slicesOf } from "../../runtime/threads/in-thread.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import type { PriceRule, Rule } from "../model/price-lists.ts";
import { groupForm, margin, roundings, takesPrice } from "../prices/price-forms.ts";
import { membership, type WantedRule } from "../prices/price-rules.ts";
import { readRows } from "./csv.ts";
import { readWithErrors } from "./file-errors.ts";

const mostRules = 100_000;

interface PriceFile {
  readonly rules: readonly WantedRule[];
  /** Sentences with their places. */
  readonly problems: readonly string[];
  /** Whether the file sets the accounts of groups. */
  readonly hasGroups: boolean;
}

/**
 * Reads a CSV file of price rules in a worker thread. `idOf`: account ids by id and by e-mail. `zone`: the name of the
 * time zone. `now`: in milliseconds since 1970.
 */
export async function readPrices(
  file: ChosenFile,
  columns: readonly string[],
  idOf: ReadonlyMap<string, string>,
  { zone, now }: { zone: string; now: number },
): Promise<PriceFile> {
  const rules: WantedRule[] = [];
  const problems: string[] = [];
  let hasGroups = false;
  for await (const part of readChosen(file, import.meta.url, partsOfPrices, columns, idOf, zone, now)) {
    rules.push(...part.rules);
    problems.push(...part.problems);
    hasGroups ||= part.hasGroups;
  }
  return { rules, problems, hasGroups };
}

/** Runs in the thread. */
export function* partsOfPrices(
  bytes: Uint8Array,
  columns: readonly string[],
  idOf: ReadonlyMap<string, string>,
  zoneName: string,
  now: number,
): Generator<PriceFile, void> {
  const rules: WantedRule[] = [];
  const wanted = { of: "prices", all: columns, needed: ["account", "codes"] };
  const zone = new TimeZone(zoneName);
  let hasGroups = false;
  const { problems, isStopped } = readWithErrors((problem) =>
    readRows(bytes, wanted, problem, ({ values: given, place }) => {
      hasGroups ||= given.group !== undefined;
      const values = Object.fromEntries(Object.entries(given).map(([name, text]) => [name, text.trim()]));
      const { account = "", codes = "" } = values;
      const id = idOf.get(account) ?? idOf.get(account.toLowerCase()) ?? groupHolder(account);
      const of = codes.replace(/\s+/g, " ");
      if (id === undefined)
        problem(place, "account must be the id or e-mail of an account, or a group such as group:agents");
      const rule = readRule(id ?? "", of, values, zone, now);
      if (typeof rule === "string") problem(place, rule);
      else if (id !== undefined) rules.push({ rule, place });
      if (rules.length > mostRules)
        problem(
          place,
          `is more than the ${mostRules.toLocaleString("en")} prices of a file: put each account's in one of several files`,
          true,
        );
    }),
  );
  yield {
    rules: [],
    problems: problems.map(({ place, sentence }) => `${place && `${place}: `}${sentence}.`),
    hasGroups,
  };
  if (!isStopped) for (const slice of slicesOf(rules)) yield { rules: slice, problems: [], hasGroups };
}

const groupHolder = (text: string) => (/^group:/i.test(text) ? groupForm.read(text) : undefined);

/** The rule, or an error text. */
function readRule(
  account: string,
  of: string,
  values: Readonly<Record<string, string>>,
  zone: TimeZone,
  now: number,
): PriceRule | string {
  if (values.group) {
    const group = groupForm.read(values.group);
    if (group === undefined) return `group must be ${groupForm.form}`;
    if (of || values.margin || values.price || /^group:/.test(account))
      return "a membership has an account and a group only";
    return membership(account, group);
  }
  if (of === "") return "codes is empty: name a provider, or a provider and a code";
  const value = readValue(values.margin ?? "", values.price ?? "", of);
  if (typeof value === "string") return value;
  const round = values.round ? roundings.find(({ text }) => text === values.round)?.kobo : undefined;
  if (values.round && round === undefined) return "round must be 5 or 10 naira, or empty";
  const from = values.from ? startTime.read(values.from, zone) : undefined;
  if (values.from && from === undefined) return `from must be ${startTime.form}`;
  const until = values.until ? endTime.read(values.until, zone) : undefined;
  if (values.until && until === undefined) return `until must be ${endTime.form}`;
  if (until !== undefined && until <= Math.max(now, from ?? 0)) return "until must be later than now, and than from";
  return {
    account,
    of,
    ...value,
    ...(round !== undefined && { round }),
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until }),
  };
}

/** The value of a rule, or an error text. */
function readValue(marginText: string, priceText: string, of: string): { rule: Rule; value: number } | string {
  if ((marginText === "") === (priceText === "")) return "needs either a margin or a price";
  if (priceText === "") return margin.read(marginText) ?? `margin must be ${margin.form}`;
  const value = positiveAmount.read(priceText);
  if (value === undefined) return `price must be ${positiveAmount.form}`;
  return takesPrice(of)
    ? { rule: "price", value }
    : "a price needs one entry, or a size: add its code after the provider";
}
