import { mend } from "../../declare/command/mend.ts";
import { nairaOf } from "../../declare/money.ts";
import { pacer } from "../../runtime/pace.ts";
import { CatalogueError, mostErrors } from "../model/catalogue-error.ts";
import { foldCase } from "../model/codes.ts";
import { providerIn } from "../model/find-entry.ts";
import { nameOf } from "../model/lists.ts";
import {
  groupJoined,
  groupMark,
  groupsIn,
  isGroup,
  listedPrice,
  type PriceRule,
  pricedLists,
  ruleKeyOf,
  scopeText,
  wideScope,
} from "../model/price-lists.ts";
import { type Document, type EntryEdit, groupIn, itemIn, withEntries } from "../model/snapshot.ts";
import type { Plan } from "../revisions/review.ts";

/**
 * A rule in words: "-2.5 %", "+1.5 to the next 5 until 2026-12-31T23:00:00Z", "95", "group:agents". `amount`: how an
 * amount is written.
 */
export function ruleText(
  { rule, value, group, round, from, until }: Pick<PriceRule, "rule" | "value" | "group" | "round" | "from" | "until">,
  amount: (kobo: number) => string = nairaOf,
): string {
  if (rule === "group") return String(group);
  const sign = rule === "price" ? "" : value < 0 ? "-" : "+";
  const size = rule === "percent" ? `${Math.abs(value) / 100} %` : amount(Math.abs(value));
  const rounding = round === undefined ? "" : ` to the next ${amount(round)}`;
  const time = (word: string, at: number | undefined) => (at === undefined ? "" : ` ${word} ${timeText(at)}`);
  return `${sign}${size}${rounding}${time("from", from)}${time("until", until)}`;
}

/** A time in the form of files, which `startTime` and `endTime` read. */
export function timeText(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+/, "");
}

/**
 * The members of a rule that people set. Setting a fixed price again also updates `listed` to the catalogue's current
 * price.
 */
const setMembers = ["rule", "value", "group", "round", "until", "listed"];

/**
 * A plan that sets a rule of an account or a group. `now`: in milliseconds since 1970. Throws a `CatalogueError` if the
 * catalogue has nothing with these codes.
 */
export function settingRule(rule: PriceRule, now = 0): Plan {
  return (base) => withEntries(base, editsTo(base, rule, now, setMembers));
}

/** The edits that set a rule, if it differs in one of these members. */
function editsTo(base: Document, given: PriceRule, now: number, members: readonly string[]): EntryEdit[] {
  const { key, content } = asListed(base, given, now);
  return editsOf(base, key, content, members);
}

/**
 * A rule as the catalogue stores it, with its key. Throws a `CatalogueError` if the catalogue has nothing with its
 * codes.
 */
function asListed(base: Document, given: PriceRule, now: number): { key: string; content: PriceRule } {
  // A rule with an end also gets a start, so that it does not permanently replace a rule without times.
  const rule = given.until !== undefined && given.from === undefined ? { ...given, from: wholeSecond(now) } : given;
  const listed = rule.rule === "price" ? listedPrice(base, rule.of) : undefined;
  const content: PriceRule = {
    ...rule,
    of: rule.rule === "group" ? "" : listedAs(base, rule.of),
    ...(listed !== undefined && { listed }),
    ...(rule.from !== undefined && rule.from > now && { pending: 1 }),
  };
  return { key: ruleKeyOf(content), content };
}

function editsOf(base: Document, key: string, content: PriceRule, members: readonly string[]): EntryEdit[] {
  const old = itemIn(base, "prices", key);
  if (old && members.every((member) => old.content[member] === content[member])) return [];
  return [{ subject: "prices", key, content }];
}

const wholeSecond = (time: number) => Math.floor(time / 1000) * 1000;

/**
 * A plan that removes the rules with this scope, or all rules of the holder. Throws a `CatalogueError` if there are
 * none.
 */
export function removingRules(holder: string, of: string | undefined): Plan {
  return (base) => {
    const scope = of === undefined ? undefined : wideScope(of);
    const wanted = of === undefined ? undefined : foldCase(scope ? scopeText(scope) : of);
    const chosen = groupIn(base, "prices", holder).filter(
      ({ content }) => content.rule !== "group" && (wanted === undefined || foldCase(String(content.of)) === wanted),
    );
    if (chosen.length === 0)
      throw new CatalogueError(
        `This ${isGroup(holder) ? "group" : "account"} has no price of its own${of ? ` for ${of}` : ""}.`,
      );
    return withEntries(
      base,
      chosen.map(({ key }) => ({ subject: "prices", key, content: null })),
    );
  };
}

/**
 * A plan that moves accounts into a group, or out of any group. Throws a `CatalogueError` if there is no such group, or
 * if an account is in no group that it could leave.
 */
export function joining(accounts: readonly string[], group: string | undefined): Plan {
  return (base) => {
    if (group !== undefined && !groupsIn(base).includes(group))
      throw new CatalogueError(
        noGroup(group),
        mend("To set its first price", "prices.set", { account: group }),
        mend("To look for it", "prices.list"),
      );
    return withEntries(
      base,
      accounts.flatMap((account): EntryEdit[] => {
        if (group !== undefined) return editsTo(base, membership(account, group), 0, setMembers);
        if (groupJoined(base, account) === undefined) throw new CatalogueError(`${account} is in no group.`);
        return [{ subject: "prices", key: ruleKeyOf({ account, of: "" }), content: null }];
      }),
    );
  };
}

export function membership(account: string, group: string): PriceRule {
  return { account, of: "", rule: "group", value: 0, group };
}

function noGroup(group: string): string {
  return `There is no group ${group.slice(groupMark.length)}.`;
}

/** A rule that an account or group should have, with its place in the file, such as "line 5". */
export interface WantedRule {
  readonly rule: PriceRule;
  readonly place: string;
}

/**
 * Replaces all rules of the accounts and groups in `wanted`. Other holders do not change, nor do memberships unless the
 * file has a column for groups. Throws a `CatalogueError` with sentences: `problems`, codes and groups that the
 * catalogue does not have, and repeated rules, each with its place. It stops after about 100 sentences.
 */
export function replacingRules(
  wanted: readonly WantedRule[],
  problems: readonly string[],
  { now = 0, hasGroups = false }: { now?: number; hasGroups?: boolean } = {},
): Plan {
  return async (base) => {
    const sentences = [...problems];
    const edits: EntryEdit[] = [];
    const pause = pacer();
    const byHolder = Map.groupBy(wanted, ({ rule }) => rule.account);
    const groups = new Set([...groupsIn(base), ...[...byHolder.keys()].filter(isGroup)]);
    for (const [account, rules] of byHolder) {
      const places = new Map<string, string>();
      for (const { rule, place } of rules) {
        await pause();
        if (sentences.length >= mostErrors) throw new CatalogueError(sentences.join("\n"));
        if (rule.group !== undefined && !groups.has(rule.group)) sentences.push(`${place}: ${noGroup(rule.group)}`);
        try {
          const { key, content } = asListed(base, rule, now);
          const first = places.get(key);
          if (first) sentences.push(`${place}: ${rule.of || "a group"} is listed twice, first in ${first}.`);
          else places.set(key, place);
          edits.push(...editsOf(base, key, content, setMembers.slice(0, -1)));
        } catch (problem) {
          if (!(problem instanceof CatalogueError)) throw problem;
          sentences.push(`${place}: ${problem.message}`);
        }
      }
      for (const { key, content } of groupIn(base, "prices", account))
        if (!places.has(key) && (hasGroups || content.rule !== "group"))
          edits.push({ subject: "prices", key, content: null });
    }
    if (sentences.length > 0) throw new CatalogueError(sentences.join("\n"));
    return withEntries(base, edits);
  };
}

/** The scope of a rule in the catalogue's spelling. */
function listedAs(base: Document, of: string): string {
  if (/^(size|list)=/i.test(of)) {
    const scope = wideScope(of);
    if (scope) return scopeText(scope);
    throw new CatalogueError(
      `${of} is no size such as size=1.5GB, and no list: ${pricedLists.map((list) => `list=${list}`).join(", ")}.`,
    );
  }
  const key = foldCase(of);
  const [provider = ""] = key.split(" ", 1);
  const found = providerIn(base, provider);
  if (!found) throw new CatalogueError(`The catalogue has no provider ${of.split(" ", 1)[0]}.`);
  if (key === provider) return String(found.content.type);
  for (const list of pricedLists) {
    const entry = itemIn(base, list, key);
    if (entry) return nameOf(list, entry.content);
  }
  throw new CatalogueError(`The catalogue has no ${of}: name the provider, then the code.`);
}
