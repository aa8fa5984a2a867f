import { sql } from "kysely";
import type { TimeZone } from "../../runtime/time-zone.ts";
import { stateSumColumns } from "../../storage/migrations/0004_tables.ts";
import { piecesOf } from "../../storage/queries/pieces.ts";
import type { Db, Tables } from "../../storage/tables.ts";
import { type PublicState, publicState } from "../public-state.ts";
import { passingStates } from "../transitions.ts";
import type { Followed } from "./journal-entry.ts";

export type SumRow = Tables["verification_sum"];
export type UseSumRow = Tables["use_sum"];
/** A sum of either table. */
export type AnySum = SumRow | UseSumRow;

type Key = Pick<SumRow, "span" | "begins_at" | "account_id" | "mode" | "kind" | "vendor">;
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

/** Counts of verifications by their final state. */
const madeCounts = Object.keys(stateSumColumns.verification_sum) as (keyof typeof stateSumColumns.verification_sum)[];
export const lastingStates = madeCounts.map((count) => count.replace("made_", "") as PublicState);

/** The change of a sum by a verification that ended for good, at the time when the verification was made. */
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

/**
 * A change of the sums in a quarter of an hour, from which the changes of all tables follow. `key_id`: empty without an
 * API key.
 */
type Change = SumRow & { key_id: string };

/** A table of sums. */
export interface SumTable<Row extends AnySum = AnySum> {
  name: "verification_sum" | "use_sum";
  /** The columns that identify a sum. */
  keys: readonly (keyof Row & string)[];
  /** The columns that are added up. */
  counts: readonly (Count & keyof Row)[];
  /** The sums that a change belongs to, without their times. */
  of(change: Change): readonly Partial<Row>[];
}

export const accountSums: SumTable<SumRow> = {
  name: "verification_sum",
  keys: ["span", "begins_at", "account_id", "mode", "kind", "vendor"],
  counts,
  of: (change) => [change],
};

/** Sums by API key, and by vendor for all accounts together. */
export const useSums: SumTable<UseSumRow> = {
  name: "use_sum",
  keys: ["about", "name", "mode", "span", "begins_at"],
  counts: [
    ...(["attempts", "verified", "negative", "failed", "unknown", "refused"] as const),
    ...(["billed_kobo", "charges", "charged_kobo"] as const),
  ],
  of: ({ key_id, vendor, mode }) => [
    { about: "vendor", name: vendor, mode },
    ...(key_id === "" ? [] : [{ about: "key", name: key_id, mode }]),
  ],
};

export const sumTables = [accountSums, useSums] as readonly SumTable[];

/** Milliseconds. In every time zone, days and hours begin at a quarter of an hour. */
const quarter = 15 * 60_000;

/** Collects changes of sums and writes them together. */
export class Sums {
  readonly #zone: TimeZone;
  /** Changes by quarter of an hour and the rest of the keys. */
  readonly #changes = new Map<string, Change>();

  constructor(zone: TimeZone) {
    this.#zone = zone;
  }

  /**
   * Adds `changes` `times` times to the hour and the day of `at`, in milliseconds since 1970. Without an API key, the
   * sums by key stay unchanged.
   */
  add(
    at: number,
    { account_id, mode, kind, key_id = "" }: Pick<SumRow, "account_id" | "mode" | "kind"> & { key_id?: string },
    vendor: string,
    changes: Partial<Record<Count, number>>,
    times = 1,
  ): void {
    const key = { span: "quarter", begins_at: at - (at % quarter), account_id, mode, kind, vendor, key_id };
    const sum = sumOf(this.#changes, changeTable, key);
    for (const [count, change] of Object.entries(changes)) sum[count as Count] += times * change;
  }

  /** Writes the changes in a fixed order, so that concurrent writers cannot deadlock. */
  async write(db: Db): Promise<void> {
    for (const table of sumTables) await addSumRows(db, table, this.rows(table));
  }

  /** The changes of a table's sums. */
  rows<Row extends AnySum>(table: SumTable<Row>): Row[] {
    const rows = new Map<string, Row>();
    for (const change of this.#changes.values()) {
      if (table.counts.every((count) => change[count as Count] === 0)) continue;
      const at = change.begins_at;
      const begins = { hour: at - (at % 3_600_000), day: this.#zone.startOfDay(this.#zone.dayOf(at)) };
      for (const of of table.of(change))
        for (const [span, begins_at] of Object.entries(begins)) {
          const sum = sumOf(rows, table, { ...of, span, begins_at }) as Record<Count, number>;
          for (const count of table.counts) sum[count] += change[count];
        }
    }
    return [...rows.values()];
  }
}

const changeTable: SumTable<Change> = {
  ...accountSums,
  keys: [...accountSums.keys, "key_id"],
  of: (change) => [change],
};

/** How many rows one statement writes: so few that their values stay far below the engines' limit of parameters. */
const rowsAtOnce = 50;

/** Adds each row to the sum with its key, in the order of the keys. */
export async function addSumRows<Row extends AnySum>(
  db: Db,
  table: SumTable<Row>,
  rows: readonly Row[],
): Promise<void> {
  const { name, keys, counts } = table;
  const added = (count: Count) => sql<number>`${sql.ref(`${name}.${count}`)} + ${sql.ref(`excluded.${count}`)}`;
  const inOrder = rows.toSorted((one, other) => (nameOfSum(table, one) < nameOfSum(table, other) ? -1 : 1));
  for (const some of piecesOf(inOrder, rowsAtOnce))
    await db
      .insertInto(name)
      .values(some as AnySum[] as SumRow[])
      .onConflict((conflict) =>
        conflict
          .columns([...keys] as never[])
          .doUpdateSet(Object.fromEntries(counts.map((count) => [count, added(count)]))),
      )
      .execute();
}

/** The key of a sum as text. */
export function nameOfSum<Row extends AnySum>({ keys }: SumTable<Row>, row: Partial<Row>): string {
  return keys.map((key) => row[key]).join("\n");
}

/** Returns the sum with the keys of `of`. If there is none, adds one with all counts 0. */
function sumOf<Row extends AnySum>(sums: Map<string, Row>, table: SumTable<Row>, of: Partial<Row>): Row {
  const name = nameOfSum(table, of);
  let sum = sums.get(name);
  if (!sum) {
    const key = table.keys.map((column) => [column, of[column]]);
    sum = Object.fromEntries([...key, ...table.counts.map((count) => [count, 0])]) as Row;
    sums.set(name, sum);
  }
  return sum;
}

/**
 * Adds journal rows to the sums of their hours and days. An attempt counts at the time of its start, under its latest
 * outcome. A charge or reversal counts at its own time, for the last vendor. A verification counts at the time of its
 * creation, once it has ended for good.
 */
export async function addSums(db: Db, rows: readonly Followed[], zone: TimeZone): Promise<void> {
  const sums = new Sums(zone);
  followInSums(sums, rows);
  await sums.write(db);
}

/** Collects the changes of journal rows. With `times` -1, subtracts the changes that these rows have not made yet. */
export function followInSums(sums: Sums, rows: readonly Followed[], times = 1): void {
  for (const row of rows) {
    const { at, attempt_was: was } = row;
    if (row.vendor !== null && was !== "closed") {
      const { vendor, started_at, bill, unsure, unpriced } = row;
      const add = (changes: Partial<Record<Count, number>>, times: number) =>
        sums.add(started_at, row, vendor, changes, times);
      const bills = { billed_kobo: bill ?? 0, unsure_kobo: unsure ?? 0, unpriced: unpriced ?? 0 };
      add({ ...ofAttempt(row, at - started_at), ...bills }, times);
      // An attempt that was `failed` before was closed by an operator, minutes after its start.
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

/** The change of a sum by an ended attempt, without its bill. `took`: milliseconds until its outcome was known. */
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
