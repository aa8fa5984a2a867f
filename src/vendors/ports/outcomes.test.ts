import assert from "node:assert/strict";
import { test } from "node:test";
import { unanswered, unavailable } from "./outcomes.ts";

test("an outcome says that no retry helps only for an empty wallet, bad credentials or bad settings", () => {
  for (const reason of ["no_money", "bad_credentials", "bad_settings"] as const)
    assert.equal(unavailable(reason).lasting, true, reason);
  for (const reason of [
    "refused",
    "rate_limited",
    "out_of_service",
    "not_done",
    "not_reached",
    "busy",
    "paused",
  ] as const)
    assert.equal(unavailable(reason).lasting, undefined, reason);
});

test("a page that is not JSON, with a status of 500 or above, leaves open whether work was done", () => {
  const outcomeOf = (status: number) => unanswered({ kind: "unreadable", status, code: "not_json" });
  assert.deepEqual(outcomeOf(499), { state: "failed", reason: "unreadable" });
  assert.deepEqual(outcomeOf(500), { state: "unknown", reason: "server_error" });
});
