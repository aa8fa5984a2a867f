export const median = (values: readonly number[]) => quantile(values, 0.5);

/** The least value that a share of all, such as 0.99, does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}

export const milliseconds = (value: number) => `${value.toFixed(value < 100 ? 2 : 0)} ms`;
export const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

/** Rows of words in columns: the first column is flush left, all others are flush right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: readonly string[]) =>
    row.map((word, at) => (at === 0 ? word.padEnd(widths[at]!) : word.padStart(widths[at]!))).join("  ");
  return rows.map((row) => `  ${line(row)}`.trimEnd()).join("\n");
}
