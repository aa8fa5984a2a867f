/** A line, or the bars of one outcome. */
export interface Series {
  name: string;
  tone: "c1" | "c2" | "c3" | "c4";
  /** Null: no measurement. */
  values: (number | null)[];
  /** The sum or the quantile over the whole range, as text: "12,034". */
  sum: string;
}

/** A chart: times in milliseconds since 1970, and the values of each series at these times. */
export interface Chart {
  title: string;
  kind: "bars" | "lines";
  unit: "" | "ms";
  times: number[];
  series: Series[];
}
