import type { TimeZone } from "../../runtime/time-zone.ts";
import { type Audited, inSnapshot, type WithClock } from "../../storage/audited.ts";
import { erased } from "../../storage/erase-verifications.ts";
import {
  forgetOlderVersion,
  nothingCounted,
  olderVersionLives,
  olderVersionNote,
} from "../../storage/migrations/older-version.ts";
import { piecesOf } from "../../storage/queries/pieces.ts";
import type { Db } from "../../storage/tables.ts";
import { ledgerTrail } from "../ledger-trail.ts";
import { countRebuild, rebuildCount } from "./rebuild-count.ts";
import {
  countOfSum,
  differencesOf,
  differenceText,
  type SumDifference,
  type SumPiece,
  sumPieces,
  times,
} from "./recounted-sums.ts";
import { checkSumsZone } from "./sums-zone.ts";
import { type AnySum, addSumRows, type SumTable, sumTables } from "./verification-sums.ts";

/** The most sums that one transaction corrects. On SQLite every verification waits for that transaction. */
const atOnce = 32;

/**
 * Corrects sums that differ from the ledger, piece by piece, while verifications and the journal continue. Resolves to
 * the number of days read, the number of corrected sums, and a sentence for each sum for which the ledger has lost
 * attempts that the journal had. All sums of that day or hour stay as they are. A snapshot gives each difference, which
 * is added to the sum. Journal rows that are processed later add to the same sum. So each change counts once, and
 * nothing waits for a lock. Two rebuilds must not write one sum at one time.
 */
export async function rebuildSums(
  { db, audit, actor, now, progress }: Audited & WithClock & { progress: (done: number, all: number) => void },
  zone: TimeZone,
  nameOf?: (account: string) => string,
): Promise<{ days: number; rebuilt: number; refused: string[] }> {
  await checkSumsZone(db, zone);
  const done = { days: 0, rebuilt: 0, refused: [] as string[] };
  for await (const piece of sumPieces(db, now(), zone)) {
    if (piece.span === "day") done.days += 1;
    const { rebuilt, refused } = await rebuildPiece(db, piece, zone);
    done.rebuilt += rebuilt;
    done.refused.push(...refused.map((difference) => differenceText(difference, zone, nameOf)));
    progress(done.days, Math.round(done.days / piece.part));
  }
  await audit(db, ledgerTrail.booksRebuilt(actor, { sums: done.rebuilt }));
  return done;
}

/**
 * Recounts all sums if an older version, which does not know all their columns, wrote to this store, or if the days of
 * the sums are those of another time zone. Does nothing while a process of such a version lives. First removes the
 * hashes of idempotency keys that such a process left in rows of erased persons. A stopped recount starts over at the
 * next run, which only reads the sums that are already right.
 */
export async function recountAfterOlderVersion(
  { db, now }: { db: Db; now: () => number },
  zone: TimeZone,
  signal: AbortSignal,
): Promise<void> {
  const note = await olderVersionNote(db);
  if (!note || (await olderVersionLives(db))) return;
  await db
    .updateTable("verification")
    .set({ lasting_idempotency_hash: null })
    .where("subject_hash", "=", erased)
    .where("lasting_idempotency_hash", "is not", null)
    .execute();
  for await (const piece of sumPieces(db, now(), zone)) {
    if (signal.aborted) return;
    await rebuildPiece(db, piece, zone, Number(note.value) === nothingCounted);
  }
  await forgetOlderVersion(db, note);
}

/** `isOfOtherDays`: the sums were counted by days of another zone, so a recount may find fewer attempts in a day. */
async function rebuildPiece(
  db: Db,
  piece: SumPiece,
  zone: TimeZone,
  isOfOtherDays = false,
): Promise<{ rebuilt: number; refused: SumDifference[] }> {
  for (;;) {
    const { rebuilds, differences: all } = await inSnapshot(db, async (snapshot) => ({
      rebuilds: await rebuildCount(snapshot),
      ...(await differencesOf(snapshot, piece, zone)),
    }));
    const refused = isOfOtherDays ? [] : all.filter((each) => hasLost(each, piece));
    const incomplete = new Set(refused.map(({ stored }) => stored.begins_at));
    const differences = all.filter(({ stored }) => !incomplete.has(stored.begins_at));
    if (differences.length === 0) return { rebuilt: 0, refused };
    if (await addAll(db, differences, rebuilds)) return { rebuilt: differences.length, refused };
  }
}

/**
 * Adds the differences to the sums. False if another process rebuilt sums since `rebuilds` was read: then some
 * differences may be added already, and the rest must be computed anew.
 */
async function addAll(db: Db, differences: readonly SumDifference[], rebuilds: number): Promise<boolean> {
  for (const [index, some] of piecesOf(differences, atOnce).entries()) {
    const isWritten = await db.transaction().execute(async (trx) => {
      if (!(await countRebuild(trx, rebuilds + index))) return false;
      for (const table of sumTables) {
        const own = some.filter((difference) => difference.table === table);
        await addSumRows(
          trx,
          table,
          own.map(({ stored, counted }) => added(table, counted, times(table, stored, -1))),
        );
        for (const { counted } of own) if (isEmpty(table, counted)) await removeEmpty(trx, table, counted);
      }
      return true;
    });
    if (!isWritten) return false;
  }
  return true;
}

/**
 * Whether the ledger has fewer attempts than the journal reported. Days of an earlier time zone are exempt, because
 * they hold different attempts.
 */
function hasLost({ stored, counted }: SumDifference, { span, from }: SumPiece): boolean {
  return counted.attempts < stored.attempts && (span === "hour" || stored.begins_at === from);
}

/** Deletes the sum, unless it has counted something meanwhile. */
async function removeEmpty(db: Db, { name, keys, counts }: SumTable, row: AnySum): Promise<void> {
  let empty = db.deleteFrom(name);
  for (const key of keys) empty = empty.where(key as "span", "=", row[key] as string);
  for (const count of counts) empty = empty.where(count as "attempts", "=", 0);
  await empty.execute();
}

function isEmpty({ counts }: SumTable, row: AnySum): boolean {
  return counts.every((count) => countOfSum(row, count) === 0);
}

function added({ counts }: SumTable, one: AnySum, other: AnySum): AnySum {
  return {
    ...one,
    ...Object.fromEntries(counts.map((count) => [count, countOfSum(one, count) + countOfSum(other, count)])),
  };
}
