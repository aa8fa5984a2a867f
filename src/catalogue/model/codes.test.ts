import assert from "node:assert/strict";
import { test } from "node:test";
import { foldCase, isSameCode, knownCodes, unknownCode } from "./codes.ts";

test("codes are the same without regard to case, and only then", () => {
  assert.ok(isSameCode("MTNDATA", "mtnData"));
  assert.ok(!isSameCode("MTNDATA", " MTNDATA"));
  assert.ok(!isSameCode("MTNDATA", "MTNDATA1"));
});

test("letters that merely capitalise to a code's letters are not those letters", () => {
  assert.notEqual(foldCase("aırteldata"), "AIRTELDATA");
  assert.notEqual(foldCase("ſtartimes"), "STARTIMES");
  assert.equal(foldCase("9mobile_data-1"), "9MOBILE_DATA-1");
});

test("an unknown code is repeated only if it cannot be a person's number or a piece of markup", () => {
  const message = (given: string) => unknownCode("provider_not_found", "No data provider has", given, " Hint.").message;
  assert.equal(message("FOODATA"), "No data provider has the code FOODATA. Hint.");
  assert.equal(message("22000000017"), "No data provider has this code. Hint.");
  assert.equal(message("<b>"), "No data provider has this code. Hint.");
  assert.equal(message("A".repeat(33)), "No data provider has this code. Hint.");
});

test("known codes are listed in the providers' order, if there are any", () => {
  assert.equal(knownCodes([{ type: "gotv" }, { type: "dstv" }]), " Known codes: gotv, dstv.");
  assert.equal(knownCodes([]), "");
});
