import { globSync, readFileSync } from "node:fs";

/**
 * `node test/support/code-lines.ts` prints the lines of code of the core and of all features, then of each folder and
 * file in `src/` and of each feature, largest first. Tests, fixtures and migrations do not count.
 */
const places = new Map<string, number>();
for (const file of globSync("src/**/*.ts")) {
  if (/\.(?:test|fixture)\.ts$|\/migrations\//.test(file)) continue;
  const place = file.match(/^src\/(?:features\/)?[^/]+/)![0].replace(/\.ts$/, "");
  places.set(place, (places.get(place) ?? 0) + codeLinesOf(file));
}
const isCore = (place: string) => !place.startsWith("src/features/");
const sumOf = (counted: [place: string, lines: number][]) => counted.reduce((sum, [, lines]) => sum + lines, 0);

const rows = [...places].toSorted(([, one], [, other]) => other - one);
const sums: typeof rows = [
  ["the core", sumOf(rows.filter(([place]) => isCore(place)))],
  ["all features", sumOf(rows.filter(([place]) => !isCore(place)))],
];
for (const [place, lines] of [...sums, ...rows]) console.log(`${lines.toLocaleString("en").padStart(7)}  ${place}`);

/** Counts lines that are neither blank nor only a comment. */
function codeLinesOf(file: string): number {
  let isInComment = false;
  let count = 0;
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const text = line.trim();
    const begins = text.startsWith("/*");
    if (!isInComment && !begins && text !== "" && !text.startsWith("//")) count += 1;
    if (isInComment || begins) isInComment = !text.includes("*/");
  }
  return count;
}
