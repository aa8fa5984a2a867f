import type { Transaction } from "kysely";
import { every } from "../../runtime/every.ts";
import { rester } from "../../runtime/pace.ts";
import { lockCounter } from "../../storage/change-counter.ts";
import type { Tables } from "../../storage/tables.ts";
import type { Publisher } from "./commit.ts";
import { sweepVoid } from "./draft.ts";

/** Revisions, and drafts, that are removed in one transaction. */
const BATCH = 500;

const SWEEP_EVERY_MILLISECONDS = 3_600_000;

/** Removes what is older than `history` milliseconds now and then each hour. `stop` resolves when the store is no longer in use. */
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
 * Removes revisions published before `before` (milliseconds since 1970), drafts rejected before it, and the changes of both:
 * oldest first, in short transactions. The newest revision stays however old it is, and so do drafts that are held or scheduled.
 * It may be broken off at any time and run in several processes at once.
 */
export async function removeHistory(
  { db, audit }: Pick<Publisher, "db" | "audit">,
  before: number,
  signal?: AbortSignal,
): Promise<void> {
  const rested = rester();
  let more = true;
  while (more && !signal?.aborted)
    more = await rested(() =>
      db.transaction().execute(async (trx) => {
        await lockCounter(trx, "catalogue");
        const revisions = await removeRevisions(trx, before);
        const drafts = await voidDrafts(trx, before);
        if (revisions + drafts === 0) return false;
        const facts = { revisions, drafts };
        await audit(trx, { kind: "catalogue.swept", actor: "system", facts });
        return true;
      }),
    );
  if (!signal?.aborted) await sweepVoid(db);
}

/** A gap in the middle would break the way back: what stays is all from some revision on. */
async function removeRevisions(trx: Transaction<Tables>, before: number): Promise<number> {
  const revisions = trx.selectFrom("catalogue_revision");
  const { first } = await revisions
    .select(({ fn }) => fn.min("number").as("first"))
    .where("created_at", ">=", before)
    .executeTakeFirstOrThrow();
  const { newest } = await revisions.select(({ fn }) => fn.max("number").as("newest")).executeTakeFirstOrThrow();
  const end = first ?? newest ?? 0;
  const old = await revisions.select("number").where("number", "<", end).orderBy("number").limit(BATCH).execute();
  const last = old.at(-1);
  if (!last) return 0;
  await trx.deleteFrom("catalogue_revision").where("number", "<=", last.number).execute();
  return old.length;
}

/** A void draft's changes are removed afterwards. The newest draft stays, so that no later one gets its number. */
async function voidDrafts(trx: Transaction<Tables>, before: number): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable("catalogue_draft")
    .set({ state: "void" })
    .where("id", "in", (query) =>
      query
        .selectFrom("catalogue_draft")
        .select("id")
        .where((it) =>
          it.or([
            it.and([it("state", "=", "rejected"), it("decided_at", "<", before)]),
            it.and([
              it("state", "=", "published"),
              it("id", "not in", (of) =>
                of
                  .selectFrom("catalogue_revision")
                  .select("draft")
                  .where("draft", "is not", null)
                  .$castTo<{ draft: number }>(),
              ),
            ]),
          ]),
        )
        .where("id", "<", (of) => of.selectFrom("catalogue_draft").select(({ fn }) => fn.max("id").as("last")))
        .limit(BATCH),
    )
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
