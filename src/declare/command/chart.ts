/** A line, or the bars of an outcome. */
export interface Series {
  name: string;
  tone: "c1" | "c2" | "c3" | "c4";
  /** Null where nothing was measured. */
  values: (number | null)[];
  /** The sum of the whole range as text: "12,034". */
  sum: string;
}

/** What a chart draws: times in milliseconds since 1970, and the numbers of each series at each. */
export interface Chart {
  title: string;
  kind: "bars" | "lines";
  unit: "" | "ms";
  times: number[];
  series: Series[];
}
