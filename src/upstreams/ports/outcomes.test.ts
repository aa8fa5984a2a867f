import assert from "node:assert/strict";
import { test } from "node:test";
import { saysBadCredentials, saysNoMoney, unanswered, unavailable } from "./outcomes.ts";

const aboutThePerson = ["Record not found", "BVN not found", "Invalid NIN supplied", "No record for this number", "…"];

test("a vendor's words about our credentials are told from those about a person", () => {
  for (const message of [
    ...["Invalid API key", "INVALID_API_KEY", "API key is missing", "Your secret key has expired", "Unauthorized"],
    ...["Incorrect credentials", "App ID not found", "Authentication failed", "x-api-key required"],
  ])
    assert.ok(saysBadCredentials({ response_code: "01", error: { message } }), message);
  for (const message of [...aboutThePerson, "Insufficient wallet balance"])
    assert.ok(!saysBadCredentials({ message }), message);
});

test("a vendor's words about our wallet are told from those about a person", () => {
  for (const message of [
    "Insufficient wallet balance",
    "INSUFFICIENT_FUNDS",
    "Your balance is low",
    "Fund your wallet",
  ])
    assert.ok(saysNoMoney({ error: { message } }), message);
  for (const message of [...aboutThePerson, "Invalid API key"]) assert.ok(!saysNoMoney({ message }), message);
});

test("members of a record explain no failure", () => {
  const data = { title: "Mr", name_on_card: "LOW BALANCE", residential_address: "12 Invalid Key Street" };
  assert.deepEqual([saysNoMoney({ data }), saysBadCredentials({ data })], [false, false]);
});

test("a retry helps against what passes, and not against an empty wallet, bad settings or a refusal", () => {
  for (const reason of ["no_money", "bad_credentials", "bad_settings", "refused"] as const)
    assert.equal(unavailable(reason).lasting, true, reason);
  for (const reason of ["rate_limited", "out_of_service", "not_done", "not_reached", "busy", "paused"] as const)
    assert.equal(unavailable(reason).lasting, undefined, reason);
});

test("a page that is no JSON does not say whether work was done if its status is a server's failure", () => {
  const outcomeOf = (status: number) => unanswered({ kind: "unreadable", status, code: "not_json" });
  assert.deepEqual(outcomeOf(499), { state: "failed", reason: "unreadable" });
  assert.deepEqual(outcomeOf(500), { state: "unknown", reason: "server_error" });
});
