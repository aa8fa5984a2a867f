import assert from "node:assert/strict";
import { test } from "node:test";
import { saysBadCredentials, saysNoMoney } from "./outcomes.ts";

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
