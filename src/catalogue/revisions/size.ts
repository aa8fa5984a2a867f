import { type Change, countsOf } from "../changes/change.ts";
import { listNames } from "../model/lists.ts";
import { countIn, type Snapshot } from "../model/snapshot.ts";
import { CatalogueFault } from "./fault.ts";

/** Entries of all lists together; prices of accounts do not count. Real catalogues have 200 to 3,000. */
const MOST = 20_000;

/** A revision would make the catalogue larger than it may be. */
export class SizeFault extends CatalogueFault {}

/** The fault of changes that make the base too large; undefined if they fit. */
export function sizeFault(base: Snapshot, changes: readonly Change[]): SizeFault | undefined {
  const { added, removed } = countsOf(changes.filter(({ subject }) => subject !== "prices"));
  const count = listNames.reduce((sum, list) => sum + countIn(base, list), added - removed);
  if (count <= MOST) return undefined;
  const [made, most] = [count, MOST].map((number) => number.toLocaleString("en"));
  return new SizeFault(
    `This would make ${made} entries, and the catalogue holds at most ${most}: leave out what nobody buys.`,
  );
}
