import {
  type Change,
  type Counts,
  changeKindOf,
  countsOf,
  differingMembers,
  isMove,
} from "../../../catalogue/changes/change.ts";
import { wireValuesOf } from "../../../catalogue/files/json.ts";
import { type EntryContent, lists, nameOf, type Subject } from "../../../catalogue/model/lists.ts";
import type { PriceRule } from "../../../catalogue/model/price-lists.ts";
import { ruleText } from "../../../catalogue/revisions/price-rules.ts";
import { nairaOf } from "../../../operation/money.ts";
import { type Paint, table } from "../../terminal/table.ts";

/** Lines of a table that are shown unless all are asked for. */
const SHOWN = 40;

interface PriceMove {
  list: string;
  entry: string;
  price: string;
  was: string;
  now: string;
  move: string;
  /** How far, whatever the direction; for sorting. */
  far: number;
}

/** A difference for people: price moves first, the farthest before the others, then all else. */
export function differenceText(changes: readonly Change[], paint: Paint, all: boolean): string {
  if (changes.length === 0) return "No differences.\n";
  const moves = changes.flatMap(priceMovesOf).sort((one, other) => other.far - one.far);
  const others = changes.flatMap(otherOf);
  const parts = [
    moves.length > 0 &&
      shortened(
        "Prices",
        moves.map(({ far, ...row }) => row),
        paint,
        all,
      ),
    others.length > 0 && shortened("Other changes", others, paint, all),
    `${countText(countsOf(changes))}.\n`,
  ];
  return parts.filter(Boolean).join("\n");
}

function shortened(heading: string, rows: readonly Record<string, string>[], paint: Paint, all: boolean): string {
  const shown = all ? rows : rows.slice(0, SHOWN);
  const rest = rows.length - shown.length;
  return `${paint("bold", heading)}\n\n${table(shown, paint)}${rest > 0 ? `… and ${rest} more: --all shows them.\n` : ""}`;
}

function priceMovesOf(change: Change): PriceMove[] {
  const { subject, old, new: now } = change;
  if (subject === "prices" || old === null || now === null) return [];
  const members: Readonly<Record<string, string>> = lists[subject].members;
  return differingMembers(old.content, now.content)
    .filter((name) => members[name] === "money")
    .map((price) => {
      const [from, to] = [Number(old.content[price]), Number(now.content[price])];
      const row = { list: subject, entry: nameOf(subject, now.content), price };
      return { ...row, was: nairaOf(from), now: nairaOf(to), move: moveText(from, to), far: farness(from, to) };
    });
}

function moveText(from: number, to: number): string {
  if (from === 0) return "from nothing";
  const percent = Math.round((to / from - 1) * 1000) / 10;
  return `${percent > 0 ? "+" : ""}${percent} %`;
}

function farness(from: number, to: number): number {
  return from === 0 || to === 0 ? Number.POSITIVE_INFINITY : Math.max(from / to, to / from);
}

function otherOf(change: Change): Record<string, string>[] {
  const { subject, old, new: now } = change;
  const content = (now ?? old)!.content;
  const row = { list: subject, entry: entryName(subject, content), change: changeKindOf(change) as string };
  if (old === null || now === null)
    return [{ ...row, what: subject === "prices" ? ruleText(content as PriceRule) : "" }];
  if (isMove(change)) return [{ ...row, change: "moved", what: "another place in the list" }];
  if (subject === "prices")
    return [{ ...row, what: `${ruleText(old.content as PriceRule)} → ${ruleText(now.content as PriceRule)}` }];
  const members: Readonly<Record<string, string>> = lists[subject].members;
  const words = differingMembers(old.content, now.content)
    .filter((name) => members[name] !== "money")
    .map((name) => `${name}: ${JSON.stringify(old.content[name])} → ${JSON.stringify(now.content[name])}`);
  return words.length === 0 ? [] : [{ ...row, what: words.join(", ") }];
}

function entryName(subject: Subject, content: EntryContent): string {
  return subject === "prices" ? `${content.of} for ${content.account}` : nameOf(subject, content);
}

/** "2 added, 1 modified". */
export function countText({ added, modified, removed }: Counts): string {
  const parts = Object.entries({ added, modified, removed }).filter(([, count]) => count > 0);
  return parts.map(([kind, count]) => `${count} ${kind}`).join(", ") || "nothing changed";
}

/** A difference for programs. Entries are as the interface document has them. */
export function differenceJson(changes: readonly Change[]): object {
  const shown = (subject: Subject, content: EntryContent) =>
    subject === "prices" ? content : wireValuesOf(subject, content);
  return changes.map((change) => ({
    list: change.subject,
    change: changeKindOf(change),
    old: change.old && shown(change.subject, change.old.content),
    new: change.new && shown(change.subject, change.new.content),
  }));
}
