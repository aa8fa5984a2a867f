import { globSync, readFileSync } from "node:fs";

/** Lines of code of a TypeScript file: neither blank nor comment alone. */
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

/**
 * The places of `src/` with their code lines, without tests and fixtures, the largest first. Rounded to hundreds, so
 * that the table changes with what matters, and not with every commit.
 */
export function codeLinesTable(): string {
  const counts = new Map<string, number>();
  for (const file of globSync("src/**/*.ts").filter((file) => !/\.(?:test|fixture)\.ts$/.test(file))) {
    const place = file.split("/")[1]!.replace(/\.ts$/, "");
    counts.set(place, (counts.get(place) ?? 0) + codeLinesOf(file));
  }
  const whole = counts.values().reduce((sum, count) => sum + count, 0);
  const rounded = (count: number) => (count < 100 ? "under 100" : (Math.round(count / 100) * 100).toLocaleString("en"));
  const rows = [...counts].toSorted(([, one], [, other]) => other - one);
  return [
    "| place | code lines |",
    "| --- | ---: |",
    ...rows.map(([place, count]) => `| \`${place}\` | ${rounded(count)} |`),
    `| all of \`src/\` | ${rounded(whole)} |`,
  ].join("\n");
}
