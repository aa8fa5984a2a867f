import type { Transaction } from "kysely";
import type { Audit } from "../audited.ts";
import { lockCounter } from "../change-counter.ts";
import { hourly, type RetentionRule } from "../retention/retention-rule.ts";
import { storeTrail } from "../store-trail.ts";
import { allTables, type Tables } from "../tables.ts";
import { table } from "./declared-table.ts";

/** How long revisions are kept, in milliseconds: a year, and a month for questions about it. */
const history = 400 * 24 * hourly;
/** Few rows at once, because each holds whole lists. */
const page = 20;
/** Revisions or drafts deleted in one transaction. */
const BATCH = 20;

export const catalogueTables = {
  catalogue_revision: table({
    columns: allTables.catalogue_revision,
    retention: ({ audit }) => catalogueRules({ audit, history }),
    backup: {},
  }),
  catalogue_draft: table({
    columns: allTables.catalogue_draft,
    retention: { with: "catalogue_revision" },
    backup: { page },
  }),
  catalogue_document: table({
    columns: allTables.catalogue_document,
    retention: { with: "catalogue_revision" },
    backup: { page },
  }),
  catalogue_price_list: table({
    columns: allTables.catalogue_price_list,
    retention: { with: "catalogue_revision" },
    backup: {},
  }),
  // A restored store starts a new history.
  catalogue_history: table({ columns: allTables.catalogue_history, retention: "lasts", backup: "none" }),
  catalogue_source: table({ columns: allTables.catalogue_source, retention: "lasts", backup: {} }),
  catalogue_mapping: table({ columns: allTables.catalogue_mapping, retention: "lasts", backup: {} }),
};

/**
 * Rules that keep revisions for `history` milliseconds after their publication, and drafts for as long after their
 * rejection. The newest revision, and held and scheduled drafts, stay.
 */
export function catalogueRules({ audit, history }: { audit: Audit; history: number }): readonly RetentionRule[] {
  return [
    {
      name: "catalogue history",
      tables: ["catalogue_revision", "catalogue_draft", "catalogue_document", "catalogue_price_list"],
      every: hourly,
      kept: (now) => now - history,
      async remove(trx, before) {
        await lockCounter(trx, "catalogue");
        const revisions = await removeRevisions(trx, before);
        const drafts = await removeDrafts(trx, before);
        const facts = { revisions, drafts };
        if (revisions + drafts > 0) await audit(trx, storeTrail.catalogueSwept("system", facts));
        return facts;
      },
    },
  ];
}

/** Deletes only the oldest revisions: without gaps, every later revision can be undone. Keeps the newest. */
async function removeRevisions(trx: Transaction<Tables>, before: number): Promise<number> {
  const oldest = await trx
    .selectFrom("catalogue_revision")
    .select(["number", "created_at"])
    .orderBy("number")
    .limit(BATCH + 1)
    .execute();
  const kept = oldest.findIndex(({ created_at }) => created_at >= before);
  const old = oldest.slice(0, kept);
  const last = old.at(-1);
  if (!last) return 0;
  await trx.deleteFrom("catalogue_revision").where("number", "<=", last.number).execute();
  await removeReplaced(trx, last.number + 1);
  return old.length;
}

/** Deletes documents and price lists that the oldest kept revision no longer uses. */
async function removeReplaced(trx: Transaction<Tables>, oldest: number): Promise<void> {
  await trx
    .deleteFrom("catalogue_document")
    .where("revision", "<", (it) =>
      it
        .selectFrom("catalogue_document")
        .select(({ fn }) => fn.max("revision").as("last"))
        .where("revision", "<=", oldest),
    )
    .execute();
  await trx
    .deleteFrom("catalogue_price_list as list")
    .where("revision", "<", (it) =>
      it
        .selectFrom("catalogue_price_list as other")
        .select(({ fn }) => fn.max("other.revision").as("last"))
        .whereRef("other.account", "=", "list.account")
        .where("other.revision", "<=", oldest),
    )
    .execute();
}

/** Keeps the newest draft, so that its number is not reused. */
async function removeDrafts(trx: Transaction<Tables>, before: number): Promise<number> {
  const rows = await trx
    .selectFrom("catalogue_draft")
    .select("id")
    .where((it) =>
      it.or([
        it.and([it("state", "=", "rejected"), it("decided_at", "<", before)]),
        it.and([
          it("state", "=", "published"),
          it("id", "not in", (of) => of.selectFrom("catalogue_revision").select("draft")),
        ]),
      ]),
    )
    .where("id", "<", (of) => of.selectFrom("catalogue_draft").select(({ fn }) => fn.max("id").as("last")))
    .limit(BATCH)
    .execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await trx.deleteFrom("catalogue_draft").where("id", "in", ids).execute();
  return ids.length;
}
