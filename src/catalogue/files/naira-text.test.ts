import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nairaOf } from "../../declare/money.ts";
import { readNaira } from "./naira-text.ts";

for (const [text, kobo] of [
  ["100", 10_000],
  ["100.5", 10_050],
  ["0.05", 5],
  ["₦1,234.50", 123_450],
  ["₦ 1,234,567", 123_456_700],
  [" 1,000 ", 100_000],
  ["N110", 11_000],
  ["NGN 110", 11_000],
] as const)
  test(`the naira text "${text}" is read as ${kobo} kobo`, () => assert.equal(readNaira(text), kobo));

for (const [text, oddity] of [
  ["", "is empty"],
  ["-5", "is below zero"],
  ["(5)", "is below zero"],
  ["5%", "is a percentage"],
  ["1E+05", "has an exponent, as spreadsheets write long numbers (format the column as a number)"],
  ["12,50", "has a comma that separates no thousands"],
  ["1.234,50", "has a comma that separates no thousands"],
  ["1,23,456", "has a comma that separates no thousands"],
  ["1.005", "has more than two decimals"],
  ["1 234", "has a space in it"],
  ["123456789012345", "is too large"],
  ["N 1 00", "has a space in it"],
  ["USD 100", "is no amount"],
  ["100.", "is no amount"],
  ["１００", "is no amount"],
] as const)
  test(`the naira text "${text}" is refused because it ${oddity}`, () =>
    assert.equal(readNaira(text), `${oddity}: write naira such as 1234.50`));

test("every amount survives being written and read, by us and by spreadsheets", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e14 }), (kobo) => {
      const plain = nairaOf(kobo);
      const [naira = "", decimals] = plain.split(".");
      const grouped = naira.replace(/\B(?=(\d{3})+$)/g, ",");
      assert.equal(readNaira(plain), kobo);
      assert.equal(readNaira(`₦${grouped}.${(decimals ?? "").padEnd(2, "0")}`), kobo);
    }),
  );
});

test("no other text is accepted as an amount", () => {
  const read = /^\s*(₦\s*)?(\d{1,3}(,\d{3})+|\d{1,13})(\.\d{1,2})?\s*$/;
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."0123456789,.₦- e%") }), (text) => {
      assert.equal(typeof readNaira(text), read.test(text) ? "number" : "string");
    }),
  );
});
