import { listNames } from "../../lists/index.ts";
import { difference } from "../document/difference.ts";
import { reasonsToHold } from "../guard/guard.ts";
import { CatalogueError } from "../model/catalogue-error.ts";
import { mostEntries } from "../model/lists.ts";
import { countIn, type Document, type Snapshot } from "../model/snapshot.ts";
import { dayBefore } from "./day-before.ts";
import type { Publisher } from "./expected.ts";
import { expectedFor } from "./expected.ts";
import { lastContents } from "./last-contents.ts";

/**
 * Makes the new document from `base`. A plan runs again if other processes publish meanwhile, and may throw to change
 * nothing.
 */
export type Plan = (base: Snapshot) => Document | Promise<Document>;

/** A revision would make the catalogue larger than permitted. */
export class SizeError extends CatalogueError {}

/**
 * The changes of a plan, the reasons why they need an approval, and the error if the catalogue has no room for them.
 */
export async function review(publisher: Publisher, plan: Plan, holdsFrom: number | null | undefined) {
  const expected = await expectedFor(publisher, holdsFrom);
  const { base } = expected;
  const after = await plan(base);
  const changes = await difference(base, after);
  const earlier = await dayBefore(publisher.db, expected);
  const last = await lastContents(publisher.db, expected, changes, earlier);
  const reasons = await reasonsToHold({ base, after, earlier, last, changes }, publisher.guard);
  return { proposal: { expected, document: after, changes, reasons }, tooLarge: sizeError(after) };
}

function sizeError(after: Document): SizeError | undefined {
  const size = listNames.reduce((sum, list) => sum + countIn(after, list), 0);
  if (size <= mostEntries) return undefined;
  const [made, most] = [size, mostEntries].map((number) => number.toLocaleString("en"));
  return new SizeError(
    `This would make ${made} entries, and the catalogue holds at most ${most}: leave out what nobody buys.`,
  );
}
