import { CatalogueError } from "../../../catalogue/model/catalogue-error.ts";
import { foldCase } from "../../../catalogue/model/codes.ts";
import { groupOf } from "../../../catalogue/model/lists.ts";
import { rememberedOf } from "../../../catalogue/model/looks.ts";
import { itemIn, type Snapshot } from "../../../catalogue/model/snapshot.ts";
import { mend } from "../../../declare/command/mend.ts";
import { declaredList } from "../../../lists/index.ts";
import { type Mapping, type MappingRow, within } from "./mapping.ts";
import type { Proposal } from "./own-codes.ts";

/** A person's statement about an entry of a source. */
interface Named {
  readonly source: string;
  readonly list: Proposal["list"];
  /** The source's codes. */
  readonly text: string;
  /** Our code, or "none" if the entry shall never be served. */
  readonly own: string;
}

/** The decisions and proposals about a source, with an index, because a file decides about thousands at once. */
export class Decisions {
  readonly #rows = new Map<string, MappingRow>();
  readonly #owners = new Map<string, MappingRow[]>();

  /** `asked`: proposals that a person approves. */
  constructor(rows: readonly MappingRow[], asked: readonly MappingRow[] = []) {
    const isAsked = new Set(asked);
    for (const row of rows) this.add(row, isAsked.has(row));
  }

  add(row: MappingRow, isAsked = false): void {
    this.#rows.set(`${row.list} ${row.code}`, row);
    if (row.own === null || (row.decided_by === null && !isAsked)) return;
    this.#owners.set(placeOf(row), [...(this.#owners.get(placeOf(row)) ?? []), row]);
  }

  known(list: string, code: string): MappingRow | undefined {
    return this.#rows.get(`${list} ${foldCase(code)}`);
  }

  /** Another entry of the source that has the same code of ours, even if the decision is in doubt. */
  ownerOf(row: Proposal): MappingRow | undefined {
    return this.#owners.get(placeOf(row))?.find(({ code }) => code !== row.code);
  }
}

const placeOf = ({ list, code, own }: Proposal) => `${list} ${groupOf(list, code)} ${foldCase(own ?? "")}`;

/** The decision about an entry. Throws a `CatalogueError` for an impossible decision. */
export function decisionOf(
  { source, list, text, own }: Named,
  decisions: Decisions,
  mapping: Mapping,
  base: Snapshot,
): Proposal {
  const code = foldCase(text);
  const names = mapping.names.get(list);
  const known = decisions.known(list, code);
  const isOurs = names === source && itemIn(base, list, code) !== undefined;
  if (!known && !isOurs)
    throw new CatalogueError(
      `Duba knows no ${text} in ${list} of ${source}.`,
      mend("See", "catalogue.map.list", { source, list }),
    );
  const about = known?.about ?? "";
  const given = itemIn(base, list, code)?.content;
  const looks = known ? (known.seen ?? known.looks) : given ? rememberedOf(given) : null;
  const facts = { source, list, code, about, why: "", looks, seen: null };
  if (own === "none") return { ...facts, state: "never", own: null, is_new: 0 };
  const group = mapping.groupOf(source, list, code);
  if (typeof group !== "string")
    throw new CatalogueError(`${groupOf(list, code)} of ${source} is not mapped yet: map it first.`);
  const item = itemIn(base, list, within(group, foldCase(own)));
  const spelled = item ? String(item.content[declaredList(list).key.at(-1)!]) : own;
  const made: Proposal = { ...facts, state: "approved", own: spelled, is_new: item ? 0 : 1 };
  const byItself = within(groupOf(list, code), foldCase(own));
  const keepsIt = names === source && mapping.keyOf(source, list, byItself) === within(group, foldCase(own));
  const other = decisions.ownerOf(made)?.code ?? (item && keepsIt && byItself !== code ? byItself : undefined);
  if (other)
    throw new CatalogueError(
      `${other} of ${source} has that code.`,
      mend("If it has it no more", "catalogue.map.set", { source, list, source_code: other, own: "none" }),
    );
  return made;
}
