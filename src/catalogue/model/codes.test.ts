import assert from "node:assert/strict";
import { test } from "node:test";
import { foldCase, isSameCode } from "./codes.ts";

test("codes are equal in upper and lower case, and otherwise different", () => {
  assert.ok(isSameCode("MTNDATA", "mtnData"));
  assert.ok(!isSameCode("MTNDATA", " MTNDATA"));
  assert.ok(!isSameCode("MTNDATA", "MTNDATA1"));
});

test("a letter that equals a code's letter only in capitals is a different letter", () => {
  assert.notEqual(foldCase("aırteldata"), "AIRTELDATA");
  assert.notEqual(foldCase("ſtartimes"), "STARTIMES");
  assert.equal(foldCase("9mobile_data-1"), "9MOBILE_DATA-1");
});
