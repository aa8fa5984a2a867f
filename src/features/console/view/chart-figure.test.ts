import assert from "node:assert/strict";
import { test } from "node:test";
import { chartFigure } from "./chart-figure.ts";

/** Returns the path of a line chart 300 wide and 100 high, with the highest value at the top. */
function pathOf(values: (number | null)[]): string {
  const series = [{ name: "median", tone: "c1" as const, sum: "10 ms", values }];
  const times = values.map((_, at) => at);
  const { text } = chartFigure({ title: "Time", kind: "lines", unit: "ms", times, series }, String);
  return /<path [^>]*d="([^"]*)"/.exec(text)![1]!;
}

test("a chart draws neighbouring values as a line, and a value without neighbours as a dash", () => {
  assert.equal(pathOf([10, 5, null, null]), "M0 0L100 50");
  assert.equal(pathOf([null, null, null, 10]), "M200 0h100");
  assert.equal(pathOf([10, null, 10, null]), "M0 0h100M150 0h100");
});
