import { account, naira, orNull, type Part, reference, state } from "../../declare/command/answer-schema.ts";
import { changeText } from "../../declare/command/answer-table.ts";
import type { RichText } from "../../declare/command/rich-text.ts";
import { koboOf, shortNaira } from "../../declare/money.ts";
import Type, { type Static } from "../../declare/schema/type.ts";
import { type ListName, lists } from "../../lists/index.ts";
import { type Change, type Counts, changeKindOf, differingMembers } from "../document/difference.ts";
import { operatorValuesOf } from "../files/json.ts";
import { type EntryContent, nameOf, type Subject, subjects } from "../model/lists.ts";
import type { PriceRule } from "../model/price-lists.ts";
import { ruleText } from "../prices/price-rules.ts";
import { withAccounts } from "../revisions/draft.ts";
import { toldApart } from "./unseen-characters.ts";

/** How many rows of a table are shown unless all are requested. */
export const firstChanges = 40;

const Entry = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]));

/** Changes in the form of responses. Entries have the form of the interface document. */
export const ListedChanges = Type.Array(
  Type.Object({
    list: Type.Enum([...subjects]),
    change: state(["added", "modified", "removed"]),
    old: orNull(Entry),
    new: orNull(Entry),
  }),
);

type ListedChange = Static<typeof ListedChanges>[number];

export function listedChanges(changes: readonly Change[]): ListedChange[] {
  const entry = (subject: Subject, content: EntryContent) =>
    subject === "prices" ? { ...content } : operatorValuesOf(subject, content);
  return changes.map((change) => ({
    list: change.subject,
    change: changeKindOf(change),
    old: change.old && entry(change.subject, change.old),
    new: change.new && entry(change.subject, change.new),
  }));
}

const priceMove = (was: string, now: string) =>
  Type.Object({
    list: Type.String({ spare: true }),
    entry: reference,
    was: { ...naira, label: was, also: true as const },
    now: { ...naira, label: now },
    move: Type.String({ shows: "number" }),
    what: Type.String({ spare: true }),
  });
const PublishedMove = priceMove("Before", "After");
const ProposedMove = priceMove("Served", "Proposed");
/** The schema of an entry on a page, which names a product by its name. */
const byName = ({ properties: { entry, ...others } }: typeof PublishedMove) =>
  Type.Object({ product: Type.String(), entry: { ...entry, label: "Code" }, ...others });
const NamedPublished = byName(PublishedMove);
const NamedProposed = byName(ProposedMove);

const OtherChange = Type.Object({
  list: Type.String(),
  entry: reference,
  change: state(["added", "modified", "removed", "moved"]),
  what: Type.String(),
});
/** The schema of a special price on a page, which names a client by its name. */
const NamedOther = Type.Object({
  list: Type.String(),
  entry: reference,
  account: orNull(account),
  change: OtherChange.properties.change,
  what: Type.String(),
});

/**
 * Shows a difference to people: first the price moves, the largest at the top, then all other changes, and the numbers
 * of added, changed and removed entries.
 */
export function differenceView(changes: readonly ListedChange[], isPublished = false): Part[] {
  const counts = { added: 0, modified: 0, removed: 0 };
  for (const { change } of changes) counts[change] += 1;
  return changes.length === 0
    ? ["No differences."]
    : [...differenceTables(changes, isPublished), `${countText(counts)}.`];
}

/** `isNamed`: products go by their names. */
export function differenceTables(changes: readonly ListedChange[], isPublished: boolean, isNamed = false): Part[] {
  const moves = changes.flatMap(priceMovesOf).sort((one, other) => other.far - one.far);
  const others = changes.flatMap((change) => otherOf(change, isNamed));
  const rows = moves.map((move) => ({ ...move, product: move.called || move.entry }));
  const row = isNamed ? (isPublished ? NamedPublished : NamedProposed) : isPublished ? PublishedMove : ProposedMove;
  return [
    ...(moves.length > 0 ? [{ title: "Prices", rows, row, ...(isNamed && { named: true as const }) }, ""] : []),
    ...(others.length > 0
      ? [{ title: "Other changes", rows: others, row: isNamed ? NamedOther : OtherChange }, ""]
      : []),
  ];
}

/** The prices that move from an amount above 0, and how many other changes there are. */
export function movesOf(changes: readonly ListedChange[]) {
  const moves = changes.flatMap(priceMovesOf).filter(({ what, was }) => what === "price" && was > 0);
  return { moves, others: changes.length - moves.length };
}

function priceMovesOf({ list, old, new: now }: ListedChange) {
  if (list === "prices" || old === null || now === null) return [];
  return differingMembers(old, now)
    .filter((name) => isMove(list, name, old, now))
    .map((what) => {
      const [from, to] = [koboOf(String(old[what])) ?? 0, koboOf(String(now[what])) ?? 0];
      const called = String(now.description ?? now.name ?? "");
      const row = { list, entry: nameOf(list, now), called, what, was: from, now: to };
      /** `far`: the size of the move in either direction. */
      return { ...row, move: moveText(from, to), far: farness(from, to) };
    });
}

/** Whether an amount of money has changed. A cost that becomes known does not count. */
function isMove(list: ListName, name: string, old: EntryContent, now: EntryContent): boolean {
  if (name === "cost") return old.cost !== undefined && now.cost !== undefined;
  const members: Readonly<Record<string, string>> = lists[list].kinds;
  return members[name] === "money";
}

function moveText(from: number, to: number): string {
  if (from === 0) return "from nothing";
  return changeText((to / from - 1) * 100, "%");
}

function farness(from: number, to: number): number {
  return from === 0 || to === 0 ? Number.POSITIVE_INFINITY : Math.max(from / to, to / from);
}

function otherOf({ list, change, old, new: now }: ListedChange, isNamed: boolean): Record<string, unknown>[] {
  const content = (now ?? old)!;
  const [entry, account] = list === "prices" ? [content.of || "group", content.account] : [nameOf(list, content)];
  const isWithin = account !== undefined && !isNamed;
  const row = { list, entry: isWithin ? `${entry} for ${account}` : entry, account: account ?? null, change };
  if (old === null || now === null)
    return [{ ...row, what: list === "prices" ? ruleText(content as PriceRule, shortNaira) : "" }];
  const differing = differingMembers(old, now);
  if (differing.length === 0) return [{ ...row, change: "moved", what: "another place in the list" }];
  if (list === "prices") return [{ ...row, what: ruleMove(old as PriceRule, now as PriceRule) }];
  const text = (value: string | number | undefined) => JSON.stringify(value) ?? "not known";
  const words = differing
    .filter((name) => !isMove(list, name, old, now))
    .map((name) => `${name}: ${toldApart(text(old[name]), text(now[name])).join(" → ")}`);
  return words.length === 0 ? [] : [{ ...row, what: words.join(", ") }];
}

/** What a change does to a special price: "MTNDATA 104 for Kobo Pay: ₦110 → ₦400". Undefined for any other change. */
export function ruleChangeText({ list, old, new: now }: ListedChange): RichText | undefined {
  const content = now ?? old;
  if (list !== "prices" || content === null) return undefined;
  const own = ruleText(content as PriceRule, shortNaira);
  const what = old && now ? ruleMove(old as PriceRule, now as PriceRule) : now ? own : `${own} ends`;
  return withAccounts(`${content.of || "Group"} for ${content.account}: ${what}`);
}

function ruleMove(old: PriceRule, now: PriceRule): string {
  const [before, after] = [ruleText(old, shortNaira), ruleText(now, shortNaira)];
  if (before !== after) return `${before} → ${after}`;
  return old.pending === now.pending
    ? `${after}, beside a catalogue's price of ${shortNaira(now.listed ?? 0)}`
    : `${after}, which holds now`;
}

/** A text such as "2 entries added, 1 changed". */
export function countText({ added, modified, removed }: Counts): string {
  const parts = Object.entries({ added, modified, removed }).filter(([, count]) => count > 0);
  const texts = parts.map(([kind, count], at) => {
    const noun = at > 0 ? "" : count === 1 ? " entry" : " entries";
    return `${count}${noun} ${kind === "modified" ? "changed" : kind}`;
  });
  return texts.join(", ") || "nothing changed";
}
