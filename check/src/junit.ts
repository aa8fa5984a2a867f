import type { Result } from "./run-points.ts";

/** The results as JUnit XML: a suite for each subject, a test case for each point. `seconds` is the time of all. */
export function junitOf(results: readonly Result[], address: string, seconds: number): string {
  const suites = Map.groupBy(results, ({ id }) => id.split(".")[0]!);
  const lines = [...suites].flatMap(([name, inside]) => [
    `  <testsuite name="${escaped(name)}" ${countsOf(inside)}>`,
    ...inside.map(caseOf),
    "  </testsuite>",
  ]);
  const head = `<testsuites name="duba check ${escaped(address)}" ${countsOf(results)} time="${seconds}">`;
  return ['<?xml version="1.0" encoding="UTF-8"?>', head, ...lines, "</testsuites>", ""].join("\n");
}

function countsOf(results: readonly Result[]): string {
  const count = (outcome: Result["outcome"]) => results.filter((result) => result.outcome === outcome).length;
  return `tests="${results.length}" failures="${count("broken")}" skipped="${count("left_out")}"`;
}

function caseOf({ id, part, sentence, outcome, why, milliseconds, exchanges }: Result): string {
  const head = `    <testcase classname="${part}.${escaped(id.split(".")[0]!)}" name="${escaped(`${id}: ${sentence}`)}" time="${milliseconds / 1000}"`;
  const message = escaped(why.join(" "));
  if (outcome === "holds") return `${head}/>`;
  if (outcome === "left_out") return `${head}><skipped message="${message}"/></testcase>`;
  const shown = exchanges.map(({ request, answer }) => `${request}\n\n${answer}`).join("\n\n");
  return `${head}><failure message="${message}">${escaped(shown)}</failure></testcase>`;
}

/** Text of XML 1.0, which has no way to write most control characters. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\x20-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replace(/[<>&"]/g, (letter) => ({ "<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;" })[letter]!);
}
