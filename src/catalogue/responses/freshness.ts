import type { ListName } from "../../lists/index.ts";

export interface Freshness {
  /** Names and values in turn. Each change creates a new array. */
  readonly headers: readonly string[];
}

/** The freshness of lists without a source. */
export const noFreshness: Freshness = { headers: [] };

/** The age of lists from a source. The headers are written when the age changes, not for each response. */
export class SourceFreshness implements Freshness {
  readonly source: string;
  readonly covers: readonly ListName[];
  /** When the lists last agreed with the source, in milliseconds since 1970; null: never. */
  asOf: number | null = null;
  isStale = true;
  headers = headersOf(null, true);

  constructor(source: string, covers: readonly ListName[]) {
    this.source = source;
    this.covers = covers;
  }

  /** The headers by name. */
  record(): Record<string, string> {
    const places = this.headers.keys().filter((at) => at % 2 === 0);
    return Object.fromEntries(places.map((at) => [this.headers[at]!, this.headers[at + 1]!]));
  }

  /** `asOf`: when the list last agreed with the source, in milliseconds since 1970; null: never. */
  set(asOf: number | null, isStale: boolean): void {
    if (asOf === this.asOf && isStale === this.isStale) return;
    this.asOf = asOf;
    this.isStale = isStale;
    this.headers = headersOf(asOf, isStale);
  }
}

/** The age of lists from several sources, which is that of the oldest; undefined without a source. */
export function oldestOf(all: readonly SourceFreshness[]): SourceFreshness | undefined {
  return all.toSorted(
    (one, other) => Number(other.isStale) - Number(one.isStale) || (one.asOf ?? 0) - (other.asOf ?? 0),
  )[0];
}

function headersOf(asOf: number | null, isStale: boolean): readonly string[] {
  return [
    ...(asOf === null ? [] : ["Duba-Catalogue-As-Of", new Date(asOf).toISOString()]),
    ...(isStale ? ["Duba-Catalogue-Stale", "true"] : []),
  ];
}
