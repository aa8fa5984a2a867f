import { sql } from "kysely";
import type { TimeZone } from "../../runtime/time-zone.ts";
import { stateSumColumns } from "../../storage/migrations/0004_tables.ts";
import type { Db, Tables } from "../../storage/tables.ts";
import { type PublicState, publicState } from "../public-state.ts";
import { passingStates } from "../transitions.ts";
import type { Followed } from "./journal-entry.ts";

export type SumRow = Tables["verification_sum"];

/** The columns that identify a sum. */
export const sumKeys = ["span", "begins_at", "account_id", "mode", "kind", "vendor"] as const;
type Key = Pick<SumRow, (typeof sumKeys)[number]>;
export type Count = Exclude<keyof SumRow, keyof Key>;

/** The upper bound of each response time bucket in milliseconds, by its column. */
export const timeBuckets: readonly [Count, number][] = [
  ["within_250ms", 250],
  ["within_500ms", 500],
  ["within_1s", 1_000],
  ["within_2s", 2_000],
  ["within_5s", 5_000],
  ["within_10s", 10_000],
  ["later", Number.POSITIVE_INFINITY],
];

/** Verifications by the state in which they ended for good. */
const madeCounts = Object.keys(stateSumColumns.verification_sum) as (keyof typeof stateSumColumns.verification_sum)[];
export const lastingStates = madeCounts.map((count) => count.replace("made_", "") as PublicState);

/** What a verification that ended for good adds to the sum of the time in which it was made. */
export const ofEnded = (state: PublicState): Partial<Record<Count, number>> => ({ [`made_${state}`]: 1 });

/** All columns that are added up. */
export const counts = [
  "attempts",
  ...["verified", "negative", "not_found", "phone_mismatch", "blocked", "failed", "unknown"],
  ...["billed_kobo", "unsure_kobo", "unpriced"],
  ...["charges", "charged_kobo"],
  ...timeBuckets.map(([column]) => column),
  "refused",
  ...madeCounts,
] as Count[];
const none = Object.fromEntries(counts.map((count) => [count, 0]));

/** Milliseconds. In every time zone, days and hours begin at a quarter of an hour. */
const quarter = 15 * 60_000;

/** Collects changes of sums to write them together. */
export class Sums {
  readonly #zone: TimeZone;
  /** Changes by quarter of an hour and the rest of the key. */
  readonly #changes = new Map<string, SumRow>();

  constructor(zone: TimeZone) {
    this.#zone = zone;
  }

  /** Adds `changes` `times` times to the hour and the day of `at`, in milliseconds since 1970. */
  add(
    at: number,
    { account_id, mode, kind }: Pick<SumRow, "account_id" | "mode" | "kind">,
    vendor: string,
    changes: Partial<Record<Count, number>>,
    times = 1,
  ): void {
    const key = { span: "quarter", begins_at: at - (at % quarter), account_id, mode, kind, vendor };
    addTo(this.#changes, key, changes, times);
  }

  /** Writes the changes in a fixed order, so that concurrent writers cannot deadlock. */
  async write(db: Db): Promise<void> {
    await addSumRows(db, this.rows());
  }

  rows(): SumRow[] {
    const rows = new Map<string, SumRow>();
    for (const { span: _, begins_at: at, account_id, mode, kind, vendor, ...change } of this.#changes.values()) {
      const of = { account_id, mode, kind, vendor };
      addTo(rows, { ...of, span: "hour", begins_at: at - (at % 3_600_000) }, change);
      addTo(rows, { ...of, span: "day", begins_at: this.#zone.startOfDay(this.#zone.dayOf(at)) }, change);
    }
    return [...rows.values()];
  }
}

/** Adds each row to the sum with its key, in the order of the keys. */
export async function addSumRows(db: Db, rows: readonly SumRow[]): Promise<void> {
  const added = (count: Count) =>
    sql<number>`${sql.ref(`verification_sum.${count}`)} + ${sql.ref(`excluded.${count}`)}`;
  for (const row of rows.toSorted((one, other) => (nameOfSum(one) < nameOfSum(other) ? -1 : 1)))
    await db
      .insertInto("verification_sum")
      .values(row)
      .onConflict((conflict) =>
        conflict.columns([...sumKeys]).doUpdateSet(Object.fromEntries(counts.map((count) => [count, added(count)]))),
      )
      .execute();
}

/** The key of a sum as text. */
export function nameOfSum({ span, begins_at, account_id, mode, kind, vendor }: Key): string {
  return `${span}\n${begins_at}\n${account_id}\n${mode}\n${kind}\n${vendor}`;
}

function addTo(rows: Map<string, SumRow>, key: Key, changes: Partial<Record<Count, number>>, times = 1): void {
  const name = nameOfSum(key);
  let row = rows.get(name);
  if (!row) {
    row = { ...key, ...none } as SumRow;
    rows.set(name, row);
  }
  // A state of a kind that has no column yet is not counted.
  for (const [count, change] of Object.entries(changes))
    if (Object.hasOwn(none, count)) row[count as Count] += times * change;
}

/**
 * Adds journal rows to the sums of their hours and days. An attempt counts at the time it was made, under its latest
 * outcome. A charge or reversal counts at its own time, for the last vendor. A verification counts at the time it was
 * made, once it has ended for good.
 */
export async function addSums(db: Db, rows: readonly Followed[], zone: TimeZone): Promise<void> {
  const sums = new Sums(zone);
  followInSums(sums, rows);
  await sums.write(db);
}

/** Collects the changes that journal rows make. With `times` -1 it subtracts the changes that they are yet to make. */
export function followInSums(sums: Sums, rows: readonly Followed[], times = 1): void {
  for (const row of rows) {
    const { at, attempt_was: was } = row;
    if (row.vendor !== null && was !== "closed") {
      const { vendor, started_at, bill, unsure, unpriced } = row;
      const add = (changes: Partial<Record<Count, number>>, times: number) =>
        sums.add(started_at, row, vendor, changes, times);
      const bills = { billed_kobo: bill ?? 0, unsure_kobo: unsure ?? 0, unpriced: unpriced ?? 0 };
      add({ ...ofAttempt(row, at - started_at), ...bills }, times);
      // If it was `failed` before, an operator closed it, minutes after it was made.
      const before = { state: was === "unknown" ? was : "failed", reason: null };
      if (was !== null) add(ofAttempt(before, Number.POSITIVE_INFINITY), -times);
    }
    if ((row.what === "outcome" || row.what === "settling") && !passingStates.includes(row.state))
      sums.add(row.created_at, row, "", ofEnded(publicState(row)), times);
    const charges = chargesOf(row);
    if (charges !== 0) sums.add(at, row, row.last_vendor ?? "", { charges, charged_kobo: row.kobo }, times);
  }
}

/** The number of charges that a row adds; -1 for a reversal. */
function chargesOf({ what, charged }: Followed): number {
  if (what === "reversal") return -1;
  return what === "charge" || (what === "outcome" && charged === 1) ? 1 : 0;
}

/** What an ended attempt adds to a sum, except its bill. `took`: milliseconds until its outcome was known. */
export function ofAttempt(
  outcome: { state: string; reason: string | null },
  took: number,
): Partial<Record<Count, number>> {
  const [within] = timeBuckets.find(([, most]) => took <= most)!;
  const { state } = outcome;
  return {
    attempts: 1,
    [state]: 1,
    [publicState(outcome)]: 1,
    ...(state === "unknown" ? {} : { [within]: 1 }),
  };
}
