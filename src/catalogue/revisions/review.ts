import { applyChanges, type Change } from "../changes/change.ts";
import { reasonsToHold } from "../guard/guard.ts";
import { CatalogueFault } from "../model/fault.ts";
import { listNames, mostEntries } from "../model/lists.ts";
import { countIn, type Snapshot } from "../model/snapshot.ts";
import type { Publisher } from "./commit.ts";
import { dayBefore } from "./day-before.ts";
import type { ExpectedCatalogue } from "./expected.ts";

/** A revision would make the catalogue larger than it may be. */
export class SizeFault extends CatalogueFault {}

/** Why changes of the expected catalogue need an approval, and the fault if it has no room for them. */
export async function review(
  { db, guard }: Pick<Publisher, "db" | "guard">,
  expected: ExpectedCatalogue,
  changes: readonly Change[],
) {
  const { base } = expected;
  const after = await applyChanges(base, changes);
  const earlier = await dayBefore(db, expected);
  return { reasons: await reasonsToHold({ base, after, earlier, changes }, guard), tooLarge: sizeFault(after) };
}

function sizeFault(after: Snapshot): SizeFault | undefined {
  const size = listNames.reduce((sum, list) => sum + countIn(after, list), 0);
  if (size <= mostEntries) return undefined;
  const [made, most] = [size, mostEntries].map((number) => number.toLocaleString("en"));
  return new SizeFault(
    `This would make ${made} entries, and the catalogue holds at most ${most}: leave out what nobody buys.`,
  );
}
