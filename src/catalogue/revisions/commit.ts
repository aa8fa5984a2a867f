import { listNames } from "../../lists/index.ts";
import { pacer } from "../../runtime/pace.ts";
import { lockCounter, noteChange } from "../../storage/change-counter.ts";
import type { CatalogueDraftRow, Tables } from "../../storage/tables.ts";
import { catalogueTrail } from "../catalogue-trail.ts";
import { type Change, countsOf, revisedBy } from "../document/difference.ts";
import { linesOf, packed, packedDifference } from "../document/document-text.ts";
import { type Document, groupIn, type Snapshot } from "../model/snapshot.ts";
import { announcePublished, announceScheduled } from "./announce-prices.ts";
import { type About, addDraft, changeDraft } from "./draft.ts";
import type { ExpectedCatalogue, Publisher } from "./expected.ts";
import { nameBySource } from "./list-codes.ts";
import { newestRevision, noteChanges, noteSnapshot } from "./load.ts";

/** Rows per INSERT, because both engines limit its parameters. */
const CHUNK = 200;

/** The result for a draft. */
export type Committed =
  | { readonly state: "published"; readonly revision: number }
  | { readonly state: "held"; readonly draft: number; readonly reasons: readonly string[] }
  | { readonly state: "scheduled"; readonly draft: number; readonly holdsFrom: number };

/** A document to replace the expected catalogue. */
interface Proposal {
  readonly expected: ExpectedCatalogue;
  readonly document: Document;
  /** The changes from the expected catalogue to the document. */
  readonly changes: readonly Change[];
  /** The reasons why the changes need an approval; empty if they need none. */
  readonly reasons: readonly string[];
}

interface CommitRequest extends Proposal {
  readonly about: About;
  /** The stored draft of these changes, if there is one. */
  readonly stored?: CatalogueDraftRow;
  /** The person who approved the changes despite the reasons. */
  readonly approvedBy?: string | undefined;
}

/**
 * Publishes, schedules or holds changes in one transaction. Returns undefined if another process has published a
 * revision or changed the stored draft meanwhile.
 */
export async function commit(
  { db, now, audit, actor }: Publisher,
  { expected, document, changes, reasons, about, stored, approvedBy }: CommitRequest,
): Promise<Committed | undefined> {
  const { author, source, note } = about;
  const at = now();
  const base = expected.newest.revision;
  const holdsFrom = expected.at;
  const isHeld = reasons.length > 0 && approvedBy === undefined;
  const state = isHeld ? "held" : expected.isLater ? "scheduled" : "published";
  const revision = base + 1;
  const content = await packedDifference(expected.base, document);
  const by = { revision, publishedAt: at };
  const made = state === "published" && (await revisedBy(expected.newest, document, changes, by));
  const rows = made && (await rowsOf(expected.newest, made, changes));
  let published: number | undefined;
  const committed = await db.transaction().execute<Committed | undefined>(async (trx) => {
    await lockCounter(trx, "catalogue");
    if ((await newestRevision(trx)) !== base) return undefined;
    const facts = {
      ...({ state, base, reasons: JSON.stringify(reasons), content, ...countsOf(changes) } as const),
      // A scheduled draft that is held when it is due applies to a newer catalogue, and nobody has seen that difference
      // yet.
      ...(stored && isHeld && { version: stored.version + 1 }),
      ...(approvedBy !== undefined && { decided_by: approvedBy, decided_at: at }),
    };
    if (stored && !(await changeDraft(trx, stored, facts))) return undefined;
    const draft = stored?.id ?? (await addDraft(trx, about, at, facts));
    await noteChange(trx, "catalogue");
    const why = { author, source, note };
    const approved = approvedBy === undefined ? {} : { approved_by: approvedBy };
    if (state === "held") {
      await audit(trx, catalogueTrail.held(actor, { draft, ...why }));
      return { state: "held", draft, reasons };
    }
    if (!rows) {
      await audit(trx, catalogueTrail.scheduled(actor, { draft, holds_from: holdsFrom, ...why, ...approved }));
      const version = stored?.version ?? 1;
      await announceScheduled(trx, { draft, version, holdsFrom, changes, at, document: expected.newest });
      return { state: "scheduled", draft, holdsFrom };
    }
    await trx
      .insertInto("catalogue_revision")
      .values({ number: revision, created_at: at, ...why, draft, ...countsOf(changes) })
      .execute();
    await nameBySource(
      trx,
      source,
      changes.map(({ subject }) => subject),
      at,
    );
    if (rows.content !== undefined)
      await trx.insertInto("catalogue_document").values({ revision, content: rows.content }).execute();
    for (let from = 0; from < rows.priceLists.length; from += CHUNK)
      await trx
        .insertInto("catalogue_price_list")
        .values(rows.priceLists.slice(from, from + CHUNK))
        .execute();
    await audit(trx, catalogueTrail.revised(actor, { revision, ...why, ...approved }));
    const hasOwnPrices = rows.priceLists.length > 0;
    await announcePublished(trx, { revision, changes, at, document, hasOwnPrices });
    published = draft;
    return { state: "published", revision };
  });
  if (made && published !== undefined) {
    noteSnapshot(db, made);
    noteChanges(db, published, changes);
  }
  return committed;
}

/** The rows that a revision stores: the document if lists change, and the price lists that change. */
async function rowsOf(before: Snapshot, made: Snapshot, changes: readonly Change[]) {
  const pause = pacer();
  const { stamps } = made;
  const all = listNames.flatMap((list) =>
    [...stamps[list]].map(([name, stamp]) => ({ subject: list, name, group: groupIn(made, list, name), stamp })),
  );
  const content = changes.some(({ subject }) => subject !== "prices") ? await packed(all) : undefined;
  const priceLists: Tables["catalogue_price_list"][] = [];
  for (const [account, stamp] of stamps.prices) {
    if (stamp === before.stamps.prices.get(account)) continue;
    const rules = (await linesOf(groupIn(made, "prices", account), pause)).toString();
    const { revision, publishedAt: changed_at } = stamp;
    priceLists.push({ account, revision, changed_at, rules });
  }
  return { content, priceLists };
}
