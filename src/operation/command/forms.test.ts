import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { TimeZone } from "../../runtime/time-zone.ts";
import { expiryOf } from "./forms.ts";

suite("an expiry", () => {
  const now = Date.UTC(2026, 0, 1, 12);
  for (const [given, end] of [
    ["2027-01-31", "2027-01-30T23:00:00.000Z"],
    ["90d", "2026-04-01T12:00:00.000Z"],
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
