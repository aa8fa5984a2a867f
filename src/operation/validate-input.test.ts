import assert from "node:assert/strict";
import { suite, test } from "node:test";
import Type from "typebox";
import { amountField, elevenDigitsField, optionalField } from "./fields.ts";
import { inputReader } from "./validate-input.ts";

const read = inputReader(
  Type.Object({
    bvn: elevenDigitsField("Customer BVN: 11 digits.", "22000000017"),
    amount: amountField,
    note: optionalField({ description: "A note", fault: "must be text" }),
  }),
);

suite("inputReader", () => {
  test("gives declared members and drops the rest, prototype names among them", () => {
    const given = JSON.parse('{"bvn":"22000000017","amount":"1","__proto__":{"note":"x"},"constructor":1,"more":[]}');
    assert.deepEqual(read(given), { input: { bvn: "22000000017", amount: "1" }, faults: [] });
  });

  test("does not take inherited members", () => {
    assert.equal(read(Object.create({ bvn: "22000000017", amount: "1" })).faults.length, 2);
  });

  test("names all faults at once, and never the value", () => {
    const { faults } = read({ bvn: "98765", amount: "nought", note: 5 });
    assert.deepEqual(
      faults.map(({ field }) => field),
      ["bvn", "amount", "note"],
    );
    assert.equal(faults[0]?.message, "bvn must be 11 digits.");
    assert.doesNotMatch(JSON.stringify(faults), /98765|nought/);
  });

  test("coerces nothing: numbers, one-element arrays, booleans and null are refused by name", () => {
    for (const value of [22000000017, ["22000000017"], true, null, { a: 1 }]) {
      const { faults } = read({ bvn: value, amount: "1" });
      assert.equal(faults.length, 1);
      assert.match(faults[0]!.message, /^bvn must be a JSON string, not (a number|an array|a boolean|null|an object)/);
    }
    assert.match(read({ bvn: 22000000017, amount: "1" }).faults[0]!.message, /leading zeros/);
  });

  test("says that a missing member is required", () => {
    assert.deepEqual(read({ amount: "1" }).faults, [
      { field: "bvn", message: "bvn is required and must be 11 digits." },
    ]);
  });
});
