import assert from "node:assert/strict";
import { test } from "node:test";
import * as forms from "./forms.ts";

test("days in any known form become both of the record's forms", () => {
  for (const text of [
    "29-Jul-1982",
    "29-JULY-1982",
    "29-july-1982",
    "1982-07-29",
    "1982-07-29T00:00:00.000Z",
    "July 29, 1982",
  ]) {
    assert.equal(forms.shortDate(text), "29-Jul-1982");
    assert.equal(forms.longDate(text), "July 29, 1982");
  }
  assert.equal(forms.shortDate("1-Sep-2000"), "01-Sep-2000");
  assert.equal(forms.longDate("2000-09-01"), "September 1, 2000");
});

test("what is no day becomes an empty text, never another day", () => {
  for (const text of [
    "",
    null,
    undefined,
    "29-Jul-82",
    "30-Feb-2000",
    "1982-13-01",
    "07/29/1982",
    "29-Jux-1982",
    "29-Julius-1982",
    "0",
  ]) {
    assert.equal(forms.shortDate(text), "");
    assert.equal(forms.longDate(text), "");
  }
});

test("phones become the 0-form, and what is no mobile number stays as it is", () => {
  for (const text of ["08012345678", "8012345678", "2348012345678", "+234 801 234 5678", "+234(0)8012345678"])
    assert.equal(forms.phone(text), "08012345678");
  for (const text of ["", "01-2345678", "123"]) assert.equal(forms.phone(text), text);
  assert.equal(forms.phone(null), "");
});

test("states, people and levels take the record's words", () => {
  assert.equal(forms.state("OSUN"), "Osun State");
  assert.equal(forms.state("Akwa Ibom State"), "Akwa Ibom State");
  assert.equal(forms.state("FCT"), "Federal Capital Territory");
  assert.equal(forms.state("Outside Nigeria"), "Outside Nigeria");
  assert.equal(forms.state(undefined), "");
  assert.equal(forms.nationality("NIGERIAN"), "Nigeria");
  assert.equal(forms.nationality("Niger"), "Niger");
  assert.equal(forms.gender("MALE"), "Male");
  assert.equal(forms.gender("f"), "Female");
  assert.equal(forms.gender("unstated"), "");
  assert.equal(forms.capitalised("SINGLE"), "Single");
  assert.equal(forms.levelOfAccount("LEVEL 2"), "Level 2 - Medium Level Accounts");
  assert.equal(forms.levelOfAccount("Level 1 - Low Level Accounts"), "Level 1 - Low Level Accounts");
  assert.equal(forms.watchlisted("yes"), "YES");
  assert.equal(forms.watchlisted(false), "NO");
  assert.equal(forms.watchlisted(""), null);
  assert.equal(forms.watchlisted(undefined), null);
  assert.equal(forms.fullName("AMINA", "", null, "YUSUF"), "AMINA YUSUF");
});
