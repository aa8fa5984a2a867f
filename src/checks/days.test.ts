import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDay } from "./days.ts";

const now = new Date("2026-06-01");
const read = (text: string) => {
  const day = parseDay(text, now);
  return day && `${day.year}-${day.month + 1}-${day.day}`;
};

test("a day is read in the forms that vendors write", () => {
  for (const text of [
    "29-Jul-1982",
    "29-JULY-1982",
    "29-july-1982",
    "29-Jul-82",
    "29 July 1982",
    "29 Jul 82",
    "29th July, 1982",
    "29th of July 1982",
    "29/Jul/1982",
    "Thu, 29 Jul 1982 00:00:00 GMT",
    "29-07-1982",
    "29/07/1982",
    "29.7.1982",
    "29/07/82",
    "29/07/1982 00:00:00",
    "1982-07-29",
    "1982/07/29",
    "1982-07-29T00:00:00.000Z",
    "1982-07-29 00:00",
    "July 29, 1982",
    "July 29,1982",
    "Jul 29 1982",
    "July 29th, 1982",
    " 29-Jul-1982 ",
  ])
    assert.equal(read(text), "1982-7-29", text);
  assert.equal(read("26-09-1994"), "1994-9-26");
  assert.equal(read("1-Sept-2000"), "2000-9-1");
});

test("a two-digit year means the latest year with these digits that has begun", () => {
  assert.equal(read("01-Jan-26"), "2026-1-1");
  assert.equal(read("01-Jan-27"), "1927-1-1");
  assert.equal(read("05-May-04"), "2004-5-5");
});

test("a numeric date is read day first, and marked if it could also be read month first", () => {
  assert.equal(read("05/07/1994"), "1994-7-5");
  assert.equal(parseDay("05/07/1994", now)?.isPlain, false);
  for (const text of ["26/07/1994", "07/07/1994", "05-Jul-1994", "1994-07-05"])
    assert.equal(parseDay(text, now)?.isPlain, true, text);
});

test("a text that is not a date is never read as one", () => {
  for (const text of [
    "",
    "0",
    "30-Feb-2000",
    "1982-13-01",
    "07/29/1982",
    "29-Jux-1982",
    "29-Julius-1982",
    "10-09-08",
    "0001-01-01",
    "01-01-2027",
    "19820729",
    "July 1982",
  ])
    assert.equal(read(text), undefined, text);
});
