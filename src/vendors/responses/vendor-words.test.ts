import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomeWord } from "../ports/outcomes.ts";
import { failureOutcome, faultInWords, outcomeInWords } from "./vendor-words.ts";

/** Returns the outcome of a text as one word, or `null` for unknown words. */
const meaningOf = (message: string) => {
  const said = outcomeInWords({ message });
  return said ? outcomeWord(said) : null;
};

const texts: Readonly<Record<string, readonly string[]>> = {
  no_money: [
    ...["Your balance is low, pls visit the dashboard to top up", "Insufficient wallet balance", "INSUFFICIENT_FUNDS"],
    ...["Your balance is low", "Fund your wallet", "You do not have enough credits", "Your wallet is empty"],
    ...["Kindly top up your wallet", "Service unavailable: insufficient funds"],
  ],
  bad_credentials: [
    ...["Invalid API key", "INVALID_API_KEY", "API key is missing", "Your secret key has expired", "Unauthorized"],
    ...["Incorrect credentials", "App ID not found", "Authentication failed", "x-api-key required", "Access denied"],
    ...["Your Secret Key could not be Authorized", "Merchant not found", "Your account has been suspended"],
    ...["This service is not enabled for your account", "IP not whitelisted", "Invalid BVN key"],
  ],
  out_of_service: [
    ...["Unable to reach service", "Service unavailable", "Service is currently down", "NIBSS is not responding"],
    ...["We cannot connect to the provider", "The system is under maintenance", "Couldn't reach NIMC"],
    ...["Service temporarily unavailable", "Unable to complete your request at the moment", "Please try again later"],
    ...["NIN service is not available", "Connection refused", "Network error"],
  ],
  negative: [
    ...["BVN not found", "NIN Not Found", "Records not found", "No record found", "No records found", "No match found"],
    ...["No record for this number", "BVN does not exist", "The BVN 22000000017 was not found", "No such BVN"],
    ...["Identity not found", "BVN record could not be found", "No matching record", "Unable to find BVN"],
    ...["Wrong BVN", "Invalid BVN", "Invalid NIN supplied", "Incorrect NIN", "BVN is invalid", "BVN is not valid"],
    ...["Unable to process request. Invalid BVN provided", "No data found for the NIN", "Invalid BVN, try again later"],
    ...["Not a valid BVN", "NIN doesn't exist", "BVN_NOT_FOUND", "ID not found"],
  ],
  unknown: ["Request timed out", "Gateway timeout while the provider was unavailable"],
  null: [
    ...["…", "Not Found", "URL not recognized", "Route not found", "Endpoint not found", "BVN endpoint not found"],
    ...["User not found", "BVN is required", "Invalid request", "id is not valid", "Phone number is invalid"],
    ...["Invalid BVN parameter", "NIN product not found", "Something went wrong", "No bvn provided"],
  ],
};

for (const [meaning, all] of Object.entries(texts))
  test(`a failure that means ${meaning} is recognised in all its wordings`, () => {
    const others = all.filter((text) => `${meaningOf(text)}` !== meaning);
    assert.deepEqual(
      others.map((text) => `${text}: ${meaningOf(text)}`),
      [],
    );
    for (const text of all) assert.equal(`${meaningOf(text.toUpperCase())}`, meaning, text);
  });

test("words are read from members that explain a failure, and not from a record's title, name or address", () => {
  for (const body of [
    ...["BVN not found", { error: "BVN not found" }, { errors: ["BVN not found"] }],
    ...[{ error: { message: "BVN not found" } }, { data: { status: { reason: "bvn-not-found" } } }],
  ])
    assert.deepEqual(outcomeInWords(body), { state: "negative", reason: "not_found" }, JSON.stringify(body));
  const data = { title: "Mr", name_on_card: "LOW BALANCE", residential_address: "12 Invalid Key Street" };
  assert.equal(outcomeInWords({ data }), undefined);
});

test("the words of a response with status 500 or above are ignored, because they prove nothing", () => {
  for (const message of Object.values(texts).flat())
    assert.deepEqual(failureOutcome(500, { message }), { state: "unknown", reason: "server_error" }, message);
});

test("a 4xx with unknown words is not final: a retry may help", () => {
  for (const status of [400, 404, 406, 409, 418, 422, 451, 499])
    for (const message of texts.null!) {
      const outcome = failureOutcome(status, { message });
      assert.ok(outcome.state !== "negative" && !("lasting" in outcome), `${status} ${message}`);
    }
});

test("words about our account count before words about the person", () => {
  const negative = { state: "negative", reason: "not_found" } as const;
  const noMoney = { state: "failed", reason: "no_money", lasting: true };
  assert.deepEqual(failureOutcome(404, { message: "Low balance" }, negative), noMoney);
  assert.deepEqual(failureOutcome(200, { message: ["BVN not found", "Insufficient balance"] }), noMoney);
  assert.deepEqual(failureOutcome(400, { message: "…" }, negative), negative);
  assert.equal(outcomeWord(failureOutcome(401, { message: "Customer record not found" })), "bad_credentials");
});

test("a vendor's words tell an outage, an empty wallet and bad credentials apart", () => {
  const messages = [
    "Unable to reach service",
    "Request timed out",
    "Low balance",
    "Invalid client id",
    "BVN not found",
    "…",
  ];
  assert.deepEqual(
    messages.map((message) => faultInWords({ message })),
    ["out_of_service", "out_of_service", "no_money", "bad_credentials", undefined, undefined],
  );
});
