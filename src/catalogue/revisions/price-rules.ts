import { nairaOf } from "../../operation/money.ts";
import { pacer } from "../../runtime/pace.ts";
import { CatalogueError, mostErrors } from "../model/catalogue-error.ts";
import { foldCase } from "../model/codes.ts";
import { nameOf } from "../model/lists.ts";
import { listedPrice, type PriceRule, pricedLists, ruleKeyOf } from "../model/price-lists.ts";
import { type Document, type EntryEdit, groupIn, itemIn, withEntries } from "../model/snapshot.ts";
import type { Plan } from "./review.ts";

/** A rule in words: "-2.5 %", "+1.5", "95". */
export function ruleText({ rule, value }: Pick<PriceRule, "rule" | "value">): string {
  if (rule === "price") return nairaOf(value);
  const sign = value < 0 ? "-" : "+";
  return rule === "margin" ? `${sign}${nairaOf(Math.abs(value))}` : `${sign}${Math.abs(value) / 100} %`;
}

/**
 * Gives an account a price of its own. A fixed price that is set again is then beside the catalogue's price of now. Throws a
 * `CatalogueError` if the catalogue has nothing by these codes.
 */
export function settingRule(rule: PriceRule): Plan {
  return (base) => withEntries(base, editsTo(base, rule, ["rule", "value", "listed"]));
}

/** Sets a rule, if it differs in one of these members. */
function editsTo(base: Document, rule: PriceRule, members: readonly string[]): EntryEdit[] {
  const listed = rule.rule === "price" ? listedPrice(base, rule.of) : undefined;
  const content: PriceRule = { ...rule, of: listedAs(base, rule.of), ...(listed !== undefined && { listed }) };
  const key = ruleKeyOf(content);
  const old = itemIn(base, "prices", key);
  if (old && members.every((member) => old.content[member] === content[member])) return [];
  return [{ subject: "prices", key, content }];
}

/** Takes an account's price of this away, or all of its own. Throws a `CatalogueError` if it has none. */
export function removingRules(account: string, of: string | undefined): Plan {
  return (base) => {
    const rules = groupIn(base, "prices", account);
    const chosen = of === undefined ? rules : rules.filter(({ key }) => key === ruleKeyOf({ account, of }));
    if (chosen.length === 0) throw new CatalogueError(`This account has no price of its own${of ? ` for ${of}` : ""}.`);
    return withEntries(
      base,
      chosen.map(({ key }) => ({ subject: "prices", key, content: null })),
    );
  };
}

/** A rule that an account shall have, and its place in the file, such as "line 5". */
export interface WantedRule {
  readonly rule: PriceRule;
  readonly place: string;
}

/**
 * Replaces all rules of the accounts in `wanted`; other accounts stay. Throws a `CatalogueError` with up to 100 of `faults`, codes that the catalogue
 * does not have and rules that are there twice, each in a sentence with its place.
 */
export function replacingRules(wanted: readonly WantedRule[], faults: readonly string[]): Plan {
  return async (base) => {
    const sentences = [...faults];
    const edits: EntryEdit[] = [];
    const pause = pacer();
    for (const [account, rules] of Map.groupBy(wanted, ({ rule }) => rule.account)) {
      const places = new Map<string, string>();
      for (const { rule, place } of rules) {
        await pause();
        if (sentences.length >= mostErrors) throw new CatalogueError(sentences.join("\n"));
        const key = ruleKeyOf(rule);
        const first = places.get(key);
        if (first) sentences.push(`${place}: ${rule.of} is listed twice, first in ${first}.`);
        else places.set(key, place);
        try {
          edits.push(...editsTo(base, rule, ["rule", "value"]));
        } catch (fault) {
          if (!(fault instanceof CatalogueError)) throw fault;
          sentences.push(`${place}: ${fault.message}`);
        }
      }
      for (const { key } of groupIn(base, "prices", account))
        if (!places.has(key)) edits.push({ subject: "prices", key, content: null });
    }
    if (sentences.length > 0) throw new CatalogueError(sentences.join("\n"));
    return withEntries(base, edits);
  };
}

/** The codes of a provider, or of an entry of one, as the catalogue spells them. */
function listedAs(base: Document, of: string): string {
  const key = foldCase(of);
  const [provider = ""] = key.split(" ", 1);
  const found = itemIn(base, "data-providers", provider) ?? itemIn(base, "cable-providers", provider);
  if (!found) throw new CatalogueError(`The catalogue has no provider ${of.split(" ", 1)[0]}.`);
  if (key === provider) return String(found.content.type);
  for (const list of pricedLists) {
    const entry = itemIn(base, list, key);
    if (entry) return nameOf(list, entry.content);
  }
  throw new CatalogueError(`The catalogue has no ${of}: name the provider, then the code.`);
}
