import { sql, type Transaction } from "kysely";
import type { Audited } from "../../storage/audited.ts";
import { lockCounter, noteChange } from "../../storage/change-counter.ts";
import type { CatalogueDraftRow, Tables } from "../../storage/tables.ts";
import { type Change, countsOf } from "../changes/change.ts";
import type { Guard } from "../guard/guard.ts";
import { groupOf } from "../model/lists.ts";
import { laterStamp, type Snapshot, type Stamp, stampedBy } from "../model/snapshot.ts";
import { type About, addDraft, changeDraft, inChunks } from "./draft.ts";
import { newestRevision } from "./load.ts";
import { tellPublished, tellScheduled } from "./tell.ts";

/** What publishing needs. The audit trail records each change in the transaction of the change. */
export interface Publisher extends Audited {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly guard: Guard;
  /** The newest revision of the store. */
  latest(): Promise<Snapshot>;
  /** Reports how many of all changes are stored. */
  readonly progress?: (done: number, all: number) => void;
}

/** What became of a draft. */
export type Committed =
  | { readonly state: "published"; readonly revision: number }
  | { readonly state: "held"; readonly draft: number; readonly reasons: readonly string[] }
  | { readonly state: "scheduled"; readonly draft: number; readonly holdsFrom: number };

interface CommitRequest {
  readonly changes: readonly Change[];
  /** Why the changes need an approval; empty if they need none. */
  readonly reasons: readonly string[];
  /** The revision that the changes apply to. */
  readonly base: number;
  readonly about: About;
  /** The stored draft of these changes, if there is one. */
  readonly stored?: CatalogueDraftRow;
  /** Who approved the changes in spite of the reasons. */
  readonly approvedBy?: string | undefined;
}

/**
 * Publishes, schedules or holds changes in one transaction. Returns undefined if another process published a revision or
 * changed the stored draft meanwhile.
 */
export async function commit(
  { db, now, audit, actor, progress }: Publisher,
  { changes, reasons, base, about, stored, approvedBy }: CommitRequest,
): Promise<Committed | undefined> {
  const { author, source, note, holdsFrom } = about;
  return db.transaction().execute(async (trx) => {
    await lockCounter(trx, "catalogue");
    if ((await newestRevision(trx)) !== base) return undefined;
    const at = now();
    const isLater = holdsFrom !== undefined && holdsFrom > at;
    const isHeld = reasons.length > 0 && approvedBy === undefined;
    const facts = {
      state: isHeld ? ("held" as const) : isLater ? ("scheduled" as const) : ("published" as const),
      base,
      reasons: JSON.stringify(reasons),
      // Held at its time, on top of what came between: nobody has seen that difference.
      ...(stored && isHeld && { version: stored.version + 1 }),
      ...(approvedBy !== undefined && { decided_by: approvedBy, decided_at: at }),
    };
    if (stored && !(await changeDraft(trx, stored, facts, changes))) return undefined;
    const draft = stored?.id ?? (await addDraft(trx, about, at, facts, changes, progress));
    await noteChange(trx, "catalogue");
    const why = { author, source, note };
    const approved = approvedBy === undefined ? {} : { approved_by: approvedBy };
    if (isHeld) {
      await audit(trx, { kind: "catalogue.held", actor, facts: { draft, ...why } });
      return { state: "held", draft, reasons };
    }
    if (isLater) {
      await audit(trx, {
        kind: "catalogue.scheduled",
        actor,
        facts: { draft, holds_from: holdsFrom, ...why, ...approved },
      });
      await tellScheduled(trx, { draft, version: stored?.version ?? 1, holdsFrom, changes, at });
      return { state: "scheduled", draft, holdsFrom };
    }
    const revision = base + 1;
    await trx
      .insertInto("catalogue_revision")
      .values({ number: revision, created_at: at, ...why, draft, ...countsOf(changes) })
      .execute();
    await applyToItems(trx, draft);
    await stampGroups(trx, changes, { revision, publishedAt: at });
    await audit(trx, { kind: "catalogue.revised", actor, facts: { revision, ...why, ...approved } });
    await tellPublished(trx, { revision, changes, at });
    return { state: "published", revision };
  });
}

/** Applies a stored draft to the items, so that a start reads the items and not the whole history. */
async function applyToItems(trx: Transaction<Tables>, draft: number): Promise<void> {
  const stored = trx.selectFrom("catalogue_change").where("draft", "=", draft);
  await trx
    .insertInto("catalogue_item")
    .columns(["list", "key", "position", "content"])
    .expression(
      stored
        .select(["list", "key", "new_position as position", "new_content as content"])
        .where("new_content", "is not", null)
        .$castTo<Tables["catalogue_item"]>(),
    )
    .onConflict((conflict) =>
      conflict.columns(["list", "key"]).doUpdateSet((it) => ({
        position: it.ref("excluded.position"),
        content: it.ref("excluded.content"),
      })),
    )
    .execute();
  const removed = stored.select(["list", "key"]).where("new_content", "is", null);
  await trx.deleteFrom("catalogue_item").where(sql<boolean>`(list, key) in (${removed})`).execute();
}

/** Records that a revision changed the groups of these entries. */
async function stampGroups(trx: Transaction<Tables>, changes: readonly Change[], by: Stamp): Promise<void> {
  for (const [list, entries] of Map.groupBy(changes, ({ subject }) => subject)) {
    const rows = await trx.selectFrom("catalogue_group").selectAll().where("list", "=", list).execute();
    const known = new Map(rows.map(({ key, revision, changed_at }) => [key, { revision, publishedAt: changed_at }]));
    const groups = new Set(entries.flatMap(({ key }) => stampedBy(groupOf(list, key))));
    for (const chunk of inChunks([...groups])) {
      const values = chunk.map((key) => {
        const { revision, publishedAt } = laterStamp(known.get(key), by);
        return { list, key, revision, changed_at: publishedAt };
      });
      await trx
        .insertInto("catalogue_group")
        .values(values)
        .onConflict((conflict) =>
          conflict.columns(["list", "key"]).doUpdateSet((it) => ({
            revision: it.ref("excluded.revision"),
            changed_at: it.ref("excluded.changed_at"),
          })),
        )
        .execute();
    }
  }
}
