import assert from "node:assert/strict";
import { test } from "node:test";
import { foldCase, isSameCode } from "./codes.ts";

test("codes are equal if they differ only in upper and lower case", () => {
  assert.ok(isSameCode("MTNDATA", "mtnData"));
  assert.ok(!isSameCode("MTNDATA", " MTNDATA"));
  assert.ok(!isSameCode("MTNDATA", "MTNDATA1"));
});

test("letters such as ſ and ı, which equal a code's letter only in capitals, do not match the letter", () => {
  assert.notEqual(foldCase("aırteldata"), "AIRTELDATA");
  assert.notEqual(foldCase("ſtartimes"), "STARTIMES");
  assert.equal(foldCase("9mobile_data-1"), "9MOBILE_DATA-1");
});
