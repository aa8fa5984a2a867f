import { type Kysely, sql } from "kysely";
import type { TimeZone } from "../../../runtime/time-zone.ts";
import type { Tables } from "../../../storage/tables.ts";
import { billOf, type VendorPrices } from "../../../upstreams/vendor-prices.ts";
import type { Attempt } from "../attempts.ts";
import type { Followed } from "./journal-entry.ts";

type SumRow = Tables["verification_sum"];

const keys = ["span", "begins_at", "account_id", "mode", "kind", "vendor"] as const;
type Key = Pick<SumRow, (typeof keys)[number]>;
export type Count = Exclude<keyof SumRow, keyof Key>;

/** Milliseconds within which an attempt was answered, by the column that counts it. */
export const timeBuckets: readonly [Count, number][] = [
  ["within_250ms", 250],
  ["within_500ms", 500],
  ["within_1s", 1_000],
  ["within_2s", 2_000],
  ["within_5s", 5_000],
  ["within_10s", 10_000],
  ["later", Number.POSITIVE_INFINITY],
];

/** Every column that counts. */
export const counts = [
  "attempts",
  ...["verified", "negative", "failed", "unknown"],
  "billed_kobo",
  ...["charges", "charged_kobo"],
  ...timeBuckets.map(([column]) => column),
] as Count[];
const none = Object.fromEntries(counts.map((count) => [count, 0]));

/** Milliseconds. Days and hours of every time zone begin with a quarter of an hour. */
const quarter = 15 * 60_000;

/** Changes of sums, to be written together. */
export class Sums {
  readonly #zone: TimeZone;
  /** By quarter and by the rest of the key. */
  readonly #changes = new Map<string, SumRow>();

  constructor(zone: TimeZone) {
    this.#zone = zone;
  }

  /** Adds to the hour and the day of a time, in milliseconds since 1970. */
  add(
    at: number,
    { account_id, mode, kind }: Pick<SumRow, "account_id" | "mode" | "kind">,
    vendor: string,
    changes: Partial<Record<Count, number>>,
  ): void {
    addTo(this.#changes, { span: "quarter", begins_at: at - (at % quarter), account_id, mode, kind, vendor }, changes);
  }

  /** In one order, so that of those who write at the same time none waits for another that waits for it. */
  async write(db: Kysely<Tables>): Promise<void> {
    const added = (count: Count) =>
      sql<number>`${sql.ref(`verification_sum.${count}`)} + ${sql.ref(`excluded.${count}`)}`;
    const rows = this.#rows();
    for (const name of [...rows.keys()].sort())
      await db
        .insertInto("verification_sum")
        .values(rows.get(name)!)
        .onConflict((conflict) =>
          conflict.columns([...keys]).doUpdateSet(Object.fromEntries(counts.map((count) => [count, added(count)]))),
        )
        .execute();
  }

  #rows(): Map<string, SumRow> {
    const rows = new Map<string, SumRow>();
    for (const { begins_at: at, ...change } of this.#changes.values()) {
      addTo(rows, { ...change, span: "hour", begins_at: at - (at % 3_600_000) }, change);
      addTo(rows, { ...change, span: "day", begins_at: this.#zone.startOfDay(this.#zone.dayOf(at)) }, change);
    }
    return rows;
  }
}

function addTo(rows: Map<string, SumRow>, key: Key, changes: Partial<Record<Count, number>>): void {
  const name = keys.map((column) => key[column]).join("\n");
  let row = rows.get(name);
  if (!row) {
    row = { ...key, ...none } as SumRow;
    rows.set(name, row);
  }
  for (const count of counts) row[count] += changes[count] ?? 0;
}

/**
 * Adds journal rows to the sums of their hours and days. An attempt counts where it was asked, under its latest outcome; a charge
 * where it was made or taken back, at the vendor that was asked last.
 */
export async function addSums(
  db: Kysely<Tables>,
  rows: readonly Followed[],
  { zone, prices }: { zone: TimeZone; prices: Readonly<Record<string, VendorPrices>> },
): Promise<void> {
  const sums = new Sums(zone);
  for (const row of rows) {
    if (row.vendor !== null) sums.add(row.asked_at, row, row.vendor, ofAttempt(row, row, prices[row.vendor]));
    const charges = chargesOf(row);
    if (charges !== 0) sums.add(row.at, row, row.last_vendor ?? "", { charges, charged_kobo: row.kobo });
  }
  await sums.write(db);
}

/** How many charges a row adds; -1: it takes one back. */
function chargesOf({ what, charged }: Followed): number {
  if (what === "reversal") return -1;
  return what === "charge" || (what === "outcome" && charged === 1) ? 1 : 0;
}

/** What the end of an attempt adds. One that counted before is moved from the outcome that it had. */
function ofAttempt(
  { attempt_was: was, state, reason, at }: Followed,
  { kind, price, billed, asked_at }: Pick<Attempt, "kind" | "price" | "billed" | "asked_at">,
  prices: VendorPrices | undefined,
): Partial<Record<Count, number>> {
  if (was === "closed") return {};
  const bill = (outcome: string, reason: string | null) =>
    billOf({ kind, price, billed, outcome, reason }, prices).kobo ?? 0;
  const billed_kobo = bill(state, reason);
  if (was !== null) {
    // An attempt that failed before was released by an operator.
    const moved = { [was]: -1, billed_kobo: billed_kobo - bill(was, was === "failed" ? "released" : null) };
    return was === state ? { billed_kobo: moved.billed_kobo } : { ...moved, [state]: 1 };
  }
  const [within] = timeBuckets.find(([, most]) => at - asked_at <= most)!;
  return { attempts: 1, [state]: 1, billed_kobo, ...(state === "unknown" ? {} : { [within]: 1 }) };
}
