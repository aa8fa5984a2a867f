import assert from "node:assert/strict";
import { test } from "node:test";
import { periodBefore } from "../../ledger/commands/period.ts";
import { TimeZone } from "../../runtime/time-zone.ts";

const zone = new TimeZone("Africa/Lagos");
const at = (text: string) => Date.parse(`${text}+01:00`);
const before = (from: string, to: string, now: string) => {
  const found = periodBefore({ from: at(from), to: at(to) }, zone, at(now));
  return [zone.isoOf(found.from).slice(0, 16), zone.isoOf(found.to).slice(0, 16)];
};

test("a month is compared with the equal part of the month before, and a span with the span before", () => {
  const now = "2026-11-23T10:30";
  assert.deepEqual(before("2026-11-01T00:00", "2026-12-01T00:00", now), ["2026-10-01T00:00", "2026-10-23T10:30"]);
  assert.deepEqual(before("2026-10-01T00:00", "2026-11-01T00:00", now), ["2026-09-01T00:00", "2026-10-01T00:00"]);
  assert.deepEqual(before("2026-03-01T00:00", "2026-04-01T00:00", now), ["2026-02-01T00:00", "2026-03-01T00:00"]);
  assert.deepEqual(before("2026-11-16T00:00", "2026-11-23T00:00", now), ["2026-11-09T00:00", "2026-11-16T00:00"]);
});
