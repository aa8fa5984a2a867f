import type { ListName } from "../model/lists.ts";

/** What answers say of where their list comes from. */
export interface Freshness {
  /** Names and values in turn. Another array whenever they change. */
  readonly headers: readonly string[];
}

/** Of lists that follow no source. */
export const noFreshness: Freshness = { headers: [] };

/** The origin of lists that follow a source, as a process knows it. Headers are made when it changes, not when they are sent. */
export class SourceFreshness implements Freshness {
  readonly #covers: readonly ListName[];
  #asOf: number | null = null;
  #isStale = true;
  headers = headersOf(null, true);

  constructor(covers: readonly ListName[]) {
    this.#covers = covers;
  }

  /** Of a list. */
  of(list: ListName): Freshness {
    return this.#covers.includes(list) ? this : noFreshness;
  }

  /** The headers by their names. */
  record(): Record<string, string> {
    const places = this.headers.keys().filter((at) => at % 2 === 0);
    return Object.fromEntries(places.map((at) => [this.headers[at]!, this.headers[at + 1]!]));
  }

  /** `asOf`: when the list was last as the source has it, in milliseconds since 1970; null: never. */
  set(asOf: number | null, isStale: boolean): void {
    if (asOf === this.#asOf && isStale === this.#isStale) return;
    this.#asOf = asOf;
    this.#isStale = isStale;
    this.headers = headersOf(asOf, isStale);
  }
}

function headersOf(asOf: number | null, isStale: boolean): readonly string[] {
  return [
    ...(asOf === null ? [] : ["Duba-Catalogue-As-Of", new Date(asOf).toISOString()]),
    ...(isStale ? ["Duba-Catalogue-Stale", "true"] : []),
  ];
}
