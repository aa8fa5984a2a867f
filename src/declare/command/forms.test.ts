import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { TimeZone } from "../../runtime/time-zone.ts";
import { day, expiryOf, futureTime, moment } from "./forms.ts";

suite("an expiry", () => {
  const now = Date.UTC(2026, 0, 1, 12);
  for (const [given, end] of [
    ["2027-01-31", "2027-01-30T23:00:00.000Z"],
    ["90d", "2026-04-01T12:00:00.000Z"],
    ["5min", "2026-01-01T12:05:00.000Z"],
    ["0min", undefined],
    ["2027-02-30", undefined],
    ["2027-1-31", undefined],
    ["0d", undefined],
    ["soon", undefined],
  ] as const) {
    test(`${given} is ${end ?? "refused"}`, () => {
      const expiry = expiryOf(given, now, new TimeZone("Africa/Lagos"));
      assert.equal(expiry && new Date(expiry).toISOString(), end);
    });
  }
});

test("a day, or a time without an offset, is read in the configured time zone", () => {
  const [lagos, utc] = [new TimeZone("Africa/Lagos"), new TimeZone("UTC")];
  for (const form of [day, moment])
    assert.deepEqual(
      [lagos, utc].map((zone) => form.read("2026-11-01", zone)),
      [Date.UTC(2026, 9, 31, 23), Date.UTC(2026, 10, 1)],
    );
  const times = ["2099-02-01T08:30", "2099-02-01T08:30Z", "2099-02-01T08:30+01:00", "2099-02-01", "2020-02-01T08:30"];
  assert.deepEqual(
    times.map((text) => futureTime.read(text, lagos)),
    [Date.UTC(2099, 1, 1, 7, 30), Date.UTC(2099, 1, 1, 8, 30), Date.UTC(2099, 1, 1, 7, 30), undefined, undefined],
  );
});
