import type { Kysely, Transaction } from "kysely";
import { rester } from "../../runtime/pace.ts";
import { lockCounter } from "../../storage/change-counter.ts";
import type { CatalogueDraftRow, Tables } from "../../storage/tables.ts";
import { type Change, isSame } from "../changes/change.ts";
import type { Subject } from "../model/lists.ts";
import { CatalogueFault } from "./fault.ts";
import type { StoredChange } from "./load.ts";

/** Changes that are written in one transaction: short enough for a process that serves beside. */
const BATCH = 500;
/** A process that wrote nothing to its draft for so long is gone. Milliseconds. */
const ABANDONED_AFTER = 30_000;

/** Who changes what, and why. */
export interface About {
  readonly author: string;
  /** Such as `import`, `revert`, or the name of a vendor. */
  readonly source: string;
  readonly note: string;
  /** Milliseconds since 1970 from which it holds; without it, at once. */
  readonly holdsFrom?: number | undefined;
}

/** Another process wrote to the draft, or swept it away. */
export class DraftConflict extends CatalogueFault {
  constructor(id: number) {
    super(`Another process works on draft d${id}, or swept it away: try again.`);
  }
}

/**
 * A draft and its changes, as one process writes them: in batches, under an id that nobody serves. What fits into one batch
 * is written only when the draft is settled, in that transaction. Another process that writes to the same draft ends this
 * one's work with a `DraftConflict`.
 */
export class Draft {
  readonly #db: Kysely<Tables>;
  readonly #now: () => number;
  readonly #about: About;
  readonly #rested = rester();
  readonly #written = new Map<string, { place: number; change: Change }>();
  #unwritten: Step | undefined;
  #id: number | undefined;
  #touchedAt = 0;
  #last = 0;

  constructor({ db, now }: { db: Kysely<Tables>; now: () => number }, about: About) {
    this.#db = db;
    this.#now = now;
    this.#about = about;
  }

  /** One that is stored already, with its changes. */
  static stored(
    store: { db: Kysely<Tables>; now: () => number },
    row: CatalogueDraftRow,
    changes: readonly StoredChange[],
  ): Draft {
    const draft = new Draft(store, aboutOf(row));
    draft.#id = row.id;
    draft.#touchedAt = row.touched_at;
    for (const change of changes) {
      draft.#written.set(nameOf(change), { place: change.place, change });
      draft.#last = Math.max(draft.#last, change.place);
    }
    return draft;
  }

  /** Its number; only once it is stored. */
  get id(): number {
    if (this.#id === undefined) throw new Error("The draft is not stored yet");
    return this.#id;
  }

  /** Makes these its changes. Only what differs from those before is written; a change never goes before its successor is in. */
  async write(changes: readonly Change[], progress?: (done: number, all: number) => void): Promise<void> {
    const gone = new Map(this.#written);
    const fresh: Change[] = [];
    for (const change of changes) {
      const name = nameOf(change);
      const known = gone.get(name)?.change;
      gone.delete(name);
      if (!known || !isSame(known.old, change.old) || !isSame(known.new, change.new)) fresh.push(change);
    }
    const steps = [
      ...inBatches([...gone.keys()]).map((names): Step => ({ names, changes: [] })),
      ...inBatches(fresh).map((batch): Step => ({ names: batch.map(nameOf), changes: batch })),
    ];
    this.#unwritten = steps.pop();
    for (const [at, step] of steps.entries()) {
      progress?.(at * BATCH, steps.length * BATCH);
      await this.#rested(() =>
        this.#db.transaction().execute(async (trx) => {
          await this.#touch(trx, {});
          await this.#take(trx, step);
        }),
      );
    }
  }

  /** Writes what is left, sets facts of the draft, and makes sure that no other process wrote to it. */
  async set(trx: Transaction<Tables>, facts: Partial<CatalogueDraftRow>): Promise<void> {
    await this.#touch(trx, facts);
    if (this.#unwritten) await this.#take(trx, this.#unwritten);
    this.#unwritten = undefined;
  }

  /** Removes a draft that was not settled; any other is left alone. */
  async discard(): Promise<void> {
    if (this.#id === undefined) return;
    const { numUpdatedRows } = await this.#db
      .updateTable("catalogue_draft")
      .set({ state: "void" })
      .where("id", "=", this.#id)
      .where("state", "=", "staged")
      .executeTakeFirst();
    if (numUpdatedRows === 1n) await removeDraft(this.#db, this.#id);
  }

  async #touch(trx: Transaction<Tables>, facts: Partial<CatalogueDraftRow>): Promise<void> {
    if (this.#id === undefined) return this.#begin(trx, facts);
    const touchedAt = Math.max(this.#now(), this.#touchedAt + 1);
    const { numUpdatedRows } = await trx
      .updateTable("catalogue_draft")
      .set({ ...facts, touched_at: touchedAt })
      .where("id", "=", this.#id)
      .where("touched_at", "=", this.#touchedAt)
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) throw new DraftConflict(this.#id);
    this.#touchedAt = touchedAt;
  }

  async #begin(trx: Transaction<Tables>, facts: Partial<CatalogueDraftRow>): Promise<void> {
    await lockCounter(trx, "catalogue");
    const { last } = await trx
      .selectFrom("catalogue_draft")
      .select(({ fn }) => fn.max("id").as("last"))
      .executeTakeFirstOrThrow();
    const { author, source, note, holdsFrom = null } = this.#about;
    const at = this.#now();
    const none = { base: 0, reasons: "[]", added: 0, modified: 0, removed: 0, decided_by: null, decided_at: null };
    const told = { state: "staged" as const, author, source, note, holds_from: holdsFrom, created_at: at };
    const row = { ...none, ...told, ...facts, id: (last ?? 0) + 1, touched_at: at };
    await trx.insertInto("catalogue_draft").values(row).execute();
    this.#id = row.id;
    this.#touchedAt = at;
  }

  async #take(trx: Transaction<Tables>, { names, changes }: Step): Promise<void> {
    const places = names.flatMap((name) => this.#written.get(name)?.place ?? []);
    if (places.length > 0)
      await trx.deleteFrom("catalogue_change").where("draft", "=", this.id).where("place", "in", places).execute();
    for (const name of names) this.#written.delete(name);
    if (changes.length === 0) return;
    const rows = changes.map((change) => {
      const { subject, key, old, new: now } = change;
      const place = ++this.#last;
      this.#written.set(nameOf(change), { place, change });
      return {
        draft: this.id,
        place,
        list: subject,
        key,
        old_position: old?.position ?? null,
        old_content: old && JSON.stringify(old.content),
        new_position: now?.position ?? null,
        new_content: now && JSON.stringify(now.content),
      };
    });
    await trx.insertInto("catalogue_change").values(rows).execute();
  }
}

/** What one transaction writes: it takes away what there is by these names, then adds the changes. */
interface Step {
  readonly names: readonly string[];
  readonly changes: readonly Change[];
}

function inBatches<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / BATCH);
  return Array.from({ length: count }, (_, at) => items.slice(at * BATCH, (at + 1) * BATCH));
}

function nameOf({ subject, key }: { subject: Subject; key: string }): string {
  return `${subject} ${key}`;
}

/** Who made a draft, and from when it holds. */
export function aboutOf({ author, source, note, holds_from }: CatalogueDraftRow): About {
  return { author, source, note, ...(holds_from === null ? {} : { holdsFrom: holds_from }) };
}

/** Throws a `CatalogueFault` if there is no such draft. */
export async function findDraft(db: Kysely<Tables>, id: number): Promise<CatalogueDraftRow> {
  const row = await db.selectFrom("catalogue_draft").selectAll().where("id", "=", id).executeTakeFirst();
  if (!row) throw new CatalogueFault(`There is no draft d${id}: duba catalogue history lists those that wait.`);
  return row;
}

/** Removes a draft's changes in short transactions; its own row stays. */
export async function removeChanges(db: Kysely<Tables>, id: number): Promise<void> {
  const changes = db.selectFrom("catalogue_change").where("draft", "=", id);
  const rested = rester();
  for (;;) {
    const first = await changes.select("place").orderBy("place").limit(1).executeTakeFirst();
    if (!first) return;
    const end = first.place + BATCH;
    await rested(() => db.deleteFrom("catalogue_change").where("draft", "=", id).where("place", "<", end).execute());
  }
}

/** Removes what processes left behind that ended while they wrote a draft. */
export async function sweepAbandoned(db: Kysely<Tables>, now: number): Promise<void> {
  await db
    .updateTable("catalogue_draft")
    // The other time keeps a process that was merely asleep from going on.
    .set({ state: "void", touched_at: now })
    .where("state", "=", "staged")
    .where("touched_at", "<", now - ABANDONED_AFTER)
    .execute();
  await sweepVoid(db);
}

/** Removes drafts that nobody needs any more, and their changes, in short transactions. */
export async function sweepVoid(db: Kysely<Tables>): Promise<void> {
  const drafts = await db.selectFrom("catalogue_draft").select("id").where("state", "=", "void").execute();
  for (const { id } of drafts) await removeDraft(db, id);
}

async function removeDraft(db: Kysely<Tables>, id: number): Promise<void> {
  await removeChanges(db, id);
  await db.deleteFrom("catalogue_draft").where("id", "=", id).execute();
}
