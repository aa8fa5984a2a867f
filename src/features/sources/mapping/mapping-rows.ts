import { listCodes, nameLists } from "../../../catalogue/revisions/list-codes.ts";
import type { ListName } from "../../../lists/index.ts";
import type { Audited, WithClock } from "../../../storage/audited.ts";
import { lockCounter } from "../../../storage/change-counter.ts";
import { pagesOf, piecesOf } from "../../../storage/queries/pieces.ts";
import { upsert } from "../../../storage/queries/upsert.ts";
import type { Db } from "../../../storage/tables.ts";
import { sourcesTrail } from "../sources-trail.ts";
import { Mapping, type MappingRow, ownNames } from "./mapping.ts";
import type { Proposal } from "./own-codes.ts";

/** Rows per query: few enough that the event loop does not pause for long when the rows arrive. */
const PAGE = 1_000;

/** All rows, or those of one source. */
export async function mappingRows(db: Db, source?: string): Promise<MappingRow[]> {
  let rows = db.selectFrom("catalogue_mapping").selectAll();
  if (source !== undefined) rows = rows.where("source", "=", source);
  const pages = await Array.fromAsync(pagesOf(rows, ["source", "list", "code"], PAGE));
  return pages.flat();
}

/** The decisions of people. */
export async function readMapping(db: Db): Promise<Mapping> {
  return new Mapping(await mappingRows(db), await listCodes(db));
}

const giverOf = (list: string) => `catalogue source of ${list}`;

/**
 * Whether this source was the last one to supply all these lists. After another source, its content must be compared
 * again.
 */
export async function gaveLast(db: Db, source: string, lists: readonly ListName[]): Promise<boolean> {
  const facts = await db.selectFrom("fact").select("value").where("name", "in", lists.map(giverOf)).execute();
  return facts.length === lists.length && facts.every(({ value }) => value === source);
}

export async function noteGiver(db: Db, source: string, lists: readonly ListName[], now: number) {
  for (const list of lists) await upsert(db, "fact", { name: giverOf(list) }, { value: source, created_at: now });
}

/** Notes which decided entries of a source are in doubt, and ends earlier doubts. */
export async function noteDoubts(db: Db, source: string, decided: readonly MappingRow[]): Promise<void> {
  const known = new Map((await mappingRows(db, source)).map((row) => [`${row.list} ${row.code}`, row]));
  const changed = decided.filter(({ list, code, seen }) => known.get(`${list} ${code}`)?.seen !== seen);
  if (changed.length === 0) return;
  await db.transaction().execute(async (trx) => {
    await lockCounter(trx, "catalogue");
    for (const { list, code, state, why, seen, decided_at } of changed)
      await trx
        .updateTable("catalogue_mapping")
        .set({ state, why, seen })
        .where("source", "=", source)
        .where("list", "=", list)
        .where("code", "=", code)
        .where("decided_at", "=", decided_at)
        .execute();
  });
}

/** Replaces the proposals of a source in these lists. Decisions stay. */
export async function writeProposals(
  db: Db,
  source: string,
  lists: readonly ListName[],
  proposals: readonly Proposal[],
): Promise<void> {
  const textOf = (row: Proposal) =>
    JSON.stringify([row.list, row.code, row.state, row.own, row.is_new, row.about, row.why, row.looks]);
  const open = (await mappingRows(db, source)).filter((row) => lists.includes(row.list) && row.decided_by === null);
  const wanted = new Set(proposals.map(textOf));
  const there = new Set(open.map(textOf));
  const old = open.filter((row) => !wanted.has(textOf(row)));
  const made = proposals.filter((row) => !there.has(textOf(row)));
  if (old.length + made.length === 0) return;
  await db.transaction().execute(async (trx) => {
    await lockCounter(trx, "catalogue");
    for (const [list, rows] of Map.groupBy(old, ({ list }) => list))
      for (const piece of piecesOf(rows))
        await trx
          .deleteFrom("catalogue_mapping")
          .where("source", "=", source)
          .where("list", "=", list)
          .where("decided_by", "is", null)
          .where(
            "code",
            "in",
            piece.map(({ code }) => code),
          )
          .execute();
    for (const piece of piecesOf(made))
      await trx
        .insertInto("catalogue_mapping")
        .values(piece.map((row) => ({ ...row, decided_by: null, decided_at: null })))
        .onConflict((conflict) => conflict.columns(["source", "list", "code"]).doNothing())
        .execute();
  });
}

/**
 * Writes a person's decisions about entries of one source. `choose` gets all rows and returns the decided ones of that
 * source. It may throw to decide nothing. From then on the lists of these entries keep their codes, whichever source
 * fills them.
 */
export async function decideMapping(
  { db, audit, actor, now }: Audited & WithClock,
  source: string,
  choose: (rows: readonly MappingRow[]) => readonly Proposal[],
): Promise<readonly Proposal[]> {
  const decided = { why: "", decided_by: actor, decided_at: now() };
  return db.transaction().execute(async (trx) => {
    await lockCounter(trx, "catalogue");
    const rows = choose(await mappingRows(trx));
    const [first] = rows;
    if (!first) return rows;
    for (const [list, all] of Map.groupBy(rows, ({ list }) => list))
      for (const piece of piecesOf(all)) {
        const codes = piece.map(({ code }) => code);
        await trx
          .deleteFrom("catalogue_mapping")
          .where("source", "=", source)
          .where("list", "=", list)
          .where("code", "in", codes)
          .execute();
        await trx
          .insertInto("catalogue_mapping")
          .values(piece.map((row) => ({ ...row, ...decided })))
          .execute();
      }
    const lists = rows.map(({ list }) => list);
    await nameLists(trx, ownNames, lists, now());
    const one = rows.length === 1 && { list: first.list, code: first.code, own: first.own ?? "none" };
    await audit(trx, sourcesTrail.mapped(actor, { source, entries: rows.length, ...one }));
    return rows;
  });
}
