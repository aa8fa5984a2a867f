import assert from "node:assert/strict";
import { test } from "node:test";
import { malformedRequests } from "./cluster/faults/malformed-requests.ts";

/** The short form of `npm run test:cluster -- malformed-requests`. */
test("CONNECT, Upgrade, garbage and resets of strangers harm no verification in flight", async () => {
  const figures = (await malformedRequests(6000)) as { sent: number; verified: number };
  assert.equal(figures.sent, 6000);
  assert.ok(figures.verified >= 6);
});
