import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { isDay, isMonth, nextDay, nextMonth, TimeZone, timeZone } from "./time-zone.ts";

suite("days and months of a time zone", () => {
  const lagos = new TimeZone("Africa/Lagos");

  test("a day in Lagos begins at 23:00 UTC of the day before", () => {
    const start = Date.UTC(2026, 9, 31, 23);
    assert.equal(lagos.startOfDay("2026-11-01"), start);
    assert.equal(lagos.startOfMonth("2026-11"), start);
    assert.equal(lagos.dayOf(start), "2026-11-01");
    assert.equal(lagos.dayOf(start - 1), "2026-10-31");
    assert.equal(lagos.monthOf(start - 1), "2026-10");
    assert.equal(lagos.isoOf(start + 5), "2026-11-01T00:00:00.005+01:00");
  });

  test("a day has 23 or 25 hours where the clocks change", () => {
    const london = new TimeZone("Europe/London");
    const hours = (day: string) => (london.startOfDay(nextDay(day)) - london.startOfDay(day)) / 3_600_000;
    assert.deepEqual(["2026-03-28", "2026-03-29", "2026-10-25"].map(hours), [24, 23, 25]);
    assert.equal(london.isoOf(Date.UTC(2026, 6, 1)), "2026-07-01T01:00:00.000+01:00");
    assert.equal(new TimeZone("America/St_Johns").isoOf(Date.UTC(2026, 0, 1)), "2025-12-31T20:30:00.000-03:30");
  });

  test("a day begins at 01:00 if the clocks skip midnight", () => {
    const beirut = new TimeZone("Asia/Beirut");
    assert.equal(beirut.isoOf(beirut.startOfDay("2026-03-29")), "2026-03-29T01:00:00.000+03:00");
  });

  test("in six time zones, every day of two years begins where the day before ends", () => {
    for (const name of [
      "Africa/Lagos",
      "Europe/London",
      "America/Santiago",
      "Australia/Lord_Howe",
      "Africa/Cairo",
      "UTC",
    ]) {
      const zone = new TimeZone(name);
      for (let day = "2025-01-01"; day < "2027-01-01"; day = nextDay(day)) {
        const start = zone.startOfDay(day);
        assert.equal(zone.dayOf(start), day, name);
        assert.notEqual(zone.dayOf(start - 1), day, name);
      }
    }
  });

  test("a period is split at the moment when the clocks change", () => {
    const [spring, autumn] = [Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 9, 25, 1)];
    const [from, to] = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)];
    const hour = 3_600_000;
    assert.deepEqual(new TimeZone("Europe/London").steadyParts(from, to), [
      { from, to: spring, offset: 0 },
      { from: spring, to: autumn, offset: hour },
      { from: autumn, to, offset: 0 },
    ]);
    assert.deepEqual(lagos.steadyParts(from, to), [{ from, to, offset: hour }]);
    assert.deepEqual(lagos.steadyParts(from, from), []);
    for (const end of [spring + 5, spring, spring - 5]) {
      const parts = new TimeZone("Europe/London").steadyParts(spring - 7_000, end);
      assert.deepEqual(
        parts.map((part) => part.offset),
        end > spring ? [0, hour] : [0],
      );
    }
  });

  test("the calendar has no 30 February and no month 13, and an unknown name is no time zone", () => {
    assert.deepEqual(["2026-02-28", "2026-02-30", "2026-2-1", "x"].map(isDay), [true, false, false, false]);
    assert.deepEqual(["2026-12", "2026-13", "2026-11-01"].map(isMonth), [true, false, false]);
    assert.equal(nextDay("2026-12-31"), "2027-01-01");
    assert.equal(nextMonth("2026-12"), "2027-01");
    assert.equal(timeZone("Lagos/Nigeria"), undefined);
    assert.equal(timeZone("UTC")?.name, "UTC");
  });
});
