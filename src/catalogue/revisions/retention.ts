import type { Transaction } from "kysely";
import { every } from "../../runtime/every.ts";
import { lockCounter } from "../../storage/change-counter.ts";
import type { Tables } from "../../storage/tables.ts";
import type { Publisher } from "./commit.ts";

/** Revisions, and drafts, that one transaction removes. Each draft has up to 20,000 changes. */
const BATCH = 20;

const SWEEP_EVERY_MILLISECONDS = 3_600_000;

/** Removes what is older than `history` milliseconds, now and then each hour. `stop` resolves when the store is no longer in use. */
export function startSweeper(publisher: Publisher, history: number): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const sweeping = every(SWEEP_EVERY_MILLISECONDS, () =>
    removeHistory(publisher, publisher.now() - history, stopping.signal),
  );
  // If the store is away, the next sweep comes an hour later.
  void sweeping.run().catch(() => undefined);
  return {
    stop() {
      stopping.abort();
      return sweeping.stop();
    },
  };
}

/**
 * Removes revisions published before `before` (milliseconds since 1970), drafts rejected before it, and the changes of both,
 * oldest first. Keeps the newest revision, and drafts that are held or scheduled. May end at any time, and may run in several
 * processes at once.
 */
export async function removeHistory(
  { db, audit }: Pick<Publisher, "db" | "audit">,
  before: number,
  signal?: AbortSignal,
): Promise<void> {
  let more = true;
  while (more && !signal?.aborted)
    more = await db.transaction().execute(async (trx) => {
      await lockCounter(trx, "catalogue");
      const revisions = await removeRevisions(trx, before);
      const drafts = await removeDrafts(trx, before);
      if (revisions + drafts === 0) return false;
      await audit(trx, { kind: "catalogue.swept", actor: "system", facts: { revisions, drafts } });
      return true;
    });
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
