import type { Audited } from "../../storage/audited.ts";
import { lockCounter, noteChange } from "../../storage/change-counter.ts";
import type { CatalogueDraftRow } from "../../storage/tables.ts";
import { type Change, countsOf } from "../changes/change.ts";
import type { Guard } from "../guard/guard.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { compactDraft } from "./compact.ts";
import type { About, Draft } from "./draft.ts";
import { newestRevision } from "./load.ts";

/** What publishing needs. Each change is told the audit trail in its own transaction. */
export interface Publisher extends Audited {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly guard: Guard;
  /** The newest revision of the store. */
  latest(): Promise<Snapshot>;
  /** Hears how many of the changes are written, while they are. */
  readonly progress?: ((done: number, all: number) => void) | undefined;
}

/** What became of a draft. */
export type Committed =
  | { readonly state: "published"; readonly revision: number }
  | { readonly state: "held"; readonly draft: number; readonly reasons: readonly string[] }
  | { readonly state: "scheduled"; readonly draft: number; readonly holdsFrom: number };

interface CommitRequest {
  readonly changes: readonly Change[];
  /** Why it has to be approved, if it has to. */
  readonly reasons: readonly string[];
  /** The revision that the changes are told against. */
  readonly base: number;
  readonly about: About;
  /** Who approved it, in spite of the reasons. */
  readonly approvedBy?: string | undefined;
}

/** Publishes, schedules or holds a draft in one short transaction; undefined if another revision came between. */
export async function commit(
  { db, now, audit, actor }: Publisher,
  draft: Draft,
  { changes, reasons, base, about, approvedBy }: CommitRequest,
): Promise<Committed | undefined> {
  const { author, source, note, holdsFrom } = about;
  const told = { author, source, note };
  const approved = approvedBy === undefined ? {} : { approved_by: approvedBy };
  const counts = countsOf(changes);
  return db.transaction().execute(async (trx) => {
    await lockCounter(trx, "catalogue");
    if ((await newestRevision(trx)) !== base) return undefined;
    await noteChange(trx, "catalogue");
    const at = now();
    const facts: Partial<CatalogueDraftRow> = { ...counts, base, reasons: JSON.stringify(reasons) };
    if (approvedBy !== undefined) Object.assign(facts, { decided_by: approvedBy, decided_at: at });
    if (reasons.length > 0 && approvedBy === undefined) {
      await draft.set(trx, { ...facts, state: "held" });
      await audit(trx, { kind: "catalogue.held", actor, facts: { draft: draft.id, ...told } });
      return { state: "held", draft: draft.id, reasons };
    }
    if (holdsFrom !== undefined && holdsFrom > at) {
      await draft.set(trx, { ...facts, state: "scheduled" });
      const event = { draft: draft.id, holds_from: holdsFrom, ...told, ...approved };
      await audit(trx, { kind: "catalogue.scheduled", actor, facts: event });
      return { state: "scheduled", draft: draft.id, holdsFrom };
    }
    const revision = base + 1;
    await draft.set(trx, { ...facts, state: "published" });
    await trx
      .insertInto("catalogue_revision")
      .values({ number: revision, created_at: at, ...told, draft: draft.id, ...counts })
      .execute();
    await compactDraft(trx, draft.id, changes, { revision, publishedAt: at });
    await audit(trx, { kind: "catalogue.revised", actor, facts: { revision, ...told, ...approved } });
    return { state: "published", revision };
  });
}
