import type { Kysely } from "kysely";
import { pacer } from "../../runtime/pace.ts";
import type { Tables } from "../../storage/tables.ts";
import type { Change } from "../changes/change.ts";
import type { Subject } from "../model/lists.ts";
import { Edit, type Snapshot } from "../model/snapshot.ts";
import type { ExpectedCatalogue } from "./expected.ts";
import { changeOf } from "./load.ts";

const DAY = 86_400_000;
/** Rows of one query. */
const PAGE = 1_000;

/**
 * Each entry as a person approved it in the day before `at`, else as it was a day before: from there the guard adds up small
 * steps, and nobody has to approve the same step twice. An entry that came since then is as it came, and an own price is as the
 * account paid it a day before. Never before the first revision.
 */
export async function dayBefore(
  db: Kysely<Tables>,
  { at, newest, base, planned }: ExpectedCatalogue,
): Promise<Snapshot> {
  const since = at - DAY;
  const published = await db
    .selectFrom("catalogue_revision as revision")
    .innerJoin("catalogue_draft as draft", "draft.id", "revision.draft")
    .select(["draft.id", "draft.decided_by"])
    .where("revision.number", "<=", newest.revision)
    .where("revision.number", ">", 1)
    .where("revision.created_at", ">", since)
    .orderBy("revision.number")
    .execute();
  const steps = [
    ...published.map(({ id, decided_by }) => ({ isApproved: decided_by !== null, of: id })),
    ...planned
      .filter(({ holdsFrom }) => holdsFrom > since)
      .map(({ isApproved, changes }) => ({ isApproved, of: changes })),
  ];
  const [approved = [], others = []] = [true, false].map((is) => steps.filter(({ isApproved }) => isApproved === is));
  const edit = new Edit(base);
  const known = new Known();
  const pause = pacer();
  for (const { of } of approved.toReversed())
    for await (const { subject, key, new: now } of known.newIn(db, of)) {
      edit.set(subject, key, now);
      await pause();
    }
  for (const { of } of others)
    for await (const { subject, key, old, new: now } of known.newIn(db, of)) {
      edit.set(subject, key, subject === "prices" ? old : (old ?? now));
      await pause();
    }
  return edit.finish(base);
}

/** The entries that a step has changed so far. */
class Known {
  readonly #keys = new Map<Subject, Set<string>>();

  /** The changes of a draft, or of this array, whose entries are not known yet. */
  async *newIn(db: Kysely<Tables>, step: number | readonly Change[]): AsyncGenerator<Change, void> {
    if (typeof step !== "number") {
      yield* step.filter(({ subject, key }) => this.#isNew(subject, key));
      return;
    }
    for (let from = 0; ; from += PAGE) {
      const page = db
        .selectFrom("catalogue_change")
        .where("draft", "=", step)
        .where("place", ">", from)
        .orderBy("place")
        .limit(PAGE);
      // A day may have many steps that change the same entries: contents are read of the first one only.
      const keys = await page.select(["place", "list", "key"]).execute();
      const places = new Set(
        keys.filter(({ list, key }) => this.#isNew(list as Subject, key)).map(({ place }) => place),
      );
      if (places.size > 0)
        for (const row of await page.selectAll().execute()) if (places.has(row.place)) yield changeOf(row);
      if (keys.length < PAGE) return;
    }
  }

  #isNew(subject: Subject, key: string): boolean {
    const keys = this.#keys.get(subject) ?? new Set();
    this.#keys.set(subject, keys);
    if (keys.has(key)) return false;
    keys.add(key);
    return true;
  }
}
