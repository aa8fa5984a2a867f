import assert from "node:assert/strict";
import { test } from "node:test";
import { plain } from "../runtime/plain-text.ts";
import * as normalise from "./normalise.ts";

test("mobile numbers become the form with 0, and other texts stay unchanged", () => {
  for (const text of ["08012345678", "8012345678", "2348012345678", "+234 801 234 5678", "+234(0)8012345678"])
    assert.equal(normalise.phone(text), "08012345678");
  for (const text of ["", "01-2345678", "123"]) assert.equal(normalise.phone(text), text);
  assert.equal(normalise.phone(null), "");
});

test("states, genders and levels take the record's words", () => {
  assert.equal(normalise.stateName("OSUN"), "Osun State");
  assert.equal(normalise.stateName("Akwa Ibom State"), "Akwa Ibom State");
  assert.equal(normalise.stateName("FCT"), "Federal Capital Territory");
  assert.equal(normalise.stateName("Outside Nigeria"), "Outside Nigeria");
  assert.equal(normalise.stateName(undefined), "");
  assert.equal(normalise.nationality("NIGERIAN"), "Nigeria");
  assert.equal(normalise.nationality("Niger"), "Niger");
  assert.equal(normalise.gender("MALE"), "Male");
  assert.equal(normalise.gender("f"), "Female");
  assert.equal(normalise.gender("unstated"), "");
  assert.equal(normalise.capitalised("SINGLE"), "Single");
  assert.equal(normalise.levelOfAccount("LEVEL 2"), "Level 2 - Medium Level Accounts");
  assert.equal(normalise.levelOfAccount("Level 1 - Low Level Accounts"), "Level 1 - Low Level Accounts");
  assert.equal(normalise.fullName("AMINA", "", null, "YUSUF"), "AMINA YUSUF");
});

test("whether somebody is watchlisted is read from every usual word, and from no other", () => {
  for (const yes of [true, "true", "TRUE", "yes", "Y", 1, "1"]) assert.equal(normalise.watchlisted(yes), "YES");
  for (const no of [false, "false", "No", "n", 0, "0"]) assert.equal(normalise.watchlisted(no), "NO");
  for (const nothing of [null, undefined, ""]) assert.equal(normalise.watchlisted(nothing), null);
  for (const neither of ["PENDING", 2, {}, [], "-"]) assert.equal(normalise.watchlisted(neither), undefined);
});

test("normalisation turns a number into its digits, and null, objects and booleans into empty text", () => {
  assert.equal(plain(12_345_678_901), "12345678901");
  assert.equal(normalise.phone(8_012_345_678), "08012345678");
  for (const nothing of [null, undefined, {}, ["x"], true, Number.NaN]) assert.equal(plain(nothing), "");
});

test("a logged shape shows where letters and digits stand, and no letter or digit", () => {
  assert.equal(normalise.maskedShape("29-Jul-82 Ọ́"), "99-aaa-99 a?");
  assert.equal(normalise.maskedShape("7".repeat(100)), `${"9".repeat(40)}…`);
  assert.deepEqual([{}, [], null, 19_820_729].map(normalise.maskedShape), ["object", "list", "null", "number"]);
});
