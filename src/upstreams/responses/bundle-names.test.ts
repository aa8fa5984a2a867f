import assert from "node:assert/strict";
import { test } from "node:test";
import { durationIn, positiveNaira, valueIn } from "./bundle-names.ts";

test("a size and a validity are read from a name only where it gives exactly one of each", () => {
  const read = (name: string) => [valueIn(name), durationIn(name)];
  assert.deepEqual(read("N200 200MB - 2 days"), ["200MB", "2 days"]);
  assert.deepEqual(read("N100 30MB -24hrs"), ["30MB", "24hrs"]);
  assert.deepEqual(read("9mobile Data - 2000 Naira - 4.5GB Data - 30 Days"), ["4.5GB", "30 Days"]);
  assert.deepEqual(read("Glo 1 tb for 1 Year"), ["1TB", "1 Year"]);
  assert.deepEqual(read("1,500MB for 1,000 days"), ["", ""]);
  assert.deepEqual(read("1GB + 500MB, 7 days or 14 days"), ["", ""]);
  assert.deepEqual(read("Monthly"), ["", ""]);
});

test("an amount is a price as a text or a number, if it is above 0 and exact to the kobo", () => {
  assert.deepEqual(["100.00", 100, 99.5, " 50 "].map(positiveNaira), ["100.00", "100", "99.5", "50"]);
  assert.deepEqual(["0.00", 0, -5, 0.125, 1e21, "1,000", null, {}].map(positiveNaira), Array(8).fill(""));
});
