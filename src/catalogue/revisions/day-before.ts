import { pacer } from "../../runtime/pace.ts";
import type { Db } from "../../storage/tables.ts";
import type { Change } from "../document/difference.ts";
import { entryName } from "../guard/findings.ts";
import { type Document, type EntryEdit, withEntries } from "../model/snapshot.ts";
import type { ExpectedCatalogue } from "./expected.ts";
import { rememberedChanges } from "./load.ts";

const DAY = 86_400_000;

/**
 * Each entry in the form that a person approved in the day before `at`, else its form of a day before. From these forms
 * on, the guard adds up small steps, and nobody has to approve one step twice. A newer entry has its first form, and an
 * account's own price is the account's price of a day before. The day never reaches back before the first revision.
 */
export async function dayBefore(db: Db, { at, newest, base, planned }: ExpectedCatalogue): Promise<Document> {
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
  const steps: { isApproved: boolean; changes: readonly Change[] }[] = [];
  for (const { id, decided_by } of published)
    steps.push({ isApproved: decided_by !== null, changes: await rememberedChanges(db, id, "published") });
  steps.push(...planned.filter(({ holdsFrom }) => holdsFrom > since));
  const [approved = [], others = []] = [true, false].map((is) => steps.filter(({ isApproved }) => isApproved === is));
  // The last approved content of an entry counts, else its first content.
  const edits = new Map<string, EntryEdit>();
  const set = ({ subject, key }: Change, content: EntryEdit["content"]) => {
    const name = entryName({ subject, key });
    if (!edits.has(name)) edits.set(name, { subject, key, content });
  };
  const pause = pacer();
  for (const { changes } of approved.toReversed())
    for (const change of changes) {
      set(change, change.new);
      await pause();
    }
  for (const { changes } of others)
    for (const change of changes) {
      set(change, change.subject === "prices" ? change.old : (change.old ?? change.new));
      await pause();
    }
  return withEntries(base, edits.values());
}
