import type { Transaction } from "kysely";
import type { Audit } from "../../storage/audited.ts";
import { lockCounter } from "../../storage/change-counter.ts";
import { hourly, type RetentionRule } from "../../storage/retention/retention-rule.ts";
import type { Tables } from "../../storage/tables.ts";

/** Revisions, and drafts, that one transaction removes. Each draft has up to 20,000 changes. */
const BATCH = 20;

/**
 * Revisions are kept for `history` milliseconds after they were published, drafts after they were rejected, and the changes of both. The
 * newest revision stays, and drafts that are held or scheduled.
 */
export function catalogueRules({ audit, history }: { audit: Audit; history: number }): readonly RetentionRule[] {
  return [
    {
      name: "catalogue history",
      tables: ["catalogue_revision", "catalogue_draft", "catalogue_change"],
      every: hourly,
      kept: (now) => now - history,
      async remove(trx, before) {
        await lockCounter(trx, "catalogue");
        const revisions = await removeRevisions(trx, before);
        const drafts = await removeDrafts(trx, before);
        const facts = { revisions, drafts };
        if (revisions + drafts > 0) await audit(trx, { kind: "catalogue.swept", actor: "system", facts });
        return facts;
      },
    },
  ];
}

/** Removes the oldest ones only: without a gap each later revision can be undone. Keeps the newest. */
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
  if (last) await trx.deleteFrom("catalogue_revision").where("number", "<=", last.number).execute();
  return old.length;
}

/** Keeps the newest draft, so that no later one gets its number. */
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
  await trx.deleteFrom("catalogue_change").where("draft", "in", ids).execute();
  await trx.deleteFrom("catalogue_draft").where("id", "in", ids).execute();
  return ids.length;
}
