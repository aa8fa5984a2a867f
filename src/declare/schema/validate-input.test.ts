import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { amountField, elevenDigitsField, optionalField } from "../fields.ts";
import Type from "./type.ts";
import { inputReader, withHints } from "./validate-input.ts";

const read = inputReader(
  Type.Object({
    bvn: elevenDigitsField("Customer BVN: 11 digits.", "22000000017"),
    amount: amountField,
    note: optionalField({ description: "A note", problem: "must be text" }),
  }),
);

suite("inputReader", () => {
  test("the input reader returns declared members and drops all others, names of the prototype included", () => {
    const given = JSON.parse('{"bvn":"22000000017","amount":"1","__proto__":{"note":"x"},"constructor":1,"more":[]}');
    assert.deepEqual(read(given), { input: { bvn: "22000000017", amount: "1" }, problems: [] });
  });

  test("the input reader ignores inherited members", () => {
    assert.equal(read(Object.create({ bvn: "22000000017", amount: "1" })).problems.length, 2);
  });

  test("the input reader reports all problems at once, and never repeats a value", () => {
    const { problems } = read({ bvn: "98765", amount: "nought", note: 5 });
    assert.deepEqual(
      problems.map(({ field }) => field),
      ["bvn", "amount", "note"],
    );
    assert.equal(problems[0]?.message, "bvn must be 11 digits.");
    assert.doesNotMatch(JSON.stringify(problems), /98765|nought/);
  });

  test("the input reader converts nothing: it refuses numbers, one-element arrays, booleans and null", () => {
    for (const value of [22000000017, ["22000000017"], true, null, { a: 1 }]) {
      const { problems } = read({ bvn: value, amount: "1" });
      assert.equal(problems.length, 1);
      assert.match(
        problems[0]!.message,
        /^bvn must be a JSON string, not (a number|an array|a boolean|null|an object)/,
      );
    }
    assert.match(read({ bvn: 22000000017, amount: "1" }).problems[0]!.message, /leading zeros/);
    assert.doesNotMatch(read({ bvn: "22000000017", amount: 1 }).problems[0]!.message, /leading zeros/);
  });

  test("the input reader reports a missing member as required", () => {
    assert.deepEqual(read({ amount: "1" }).problems, [
      { field: "bvn", message: "bvn is required and must be 11 digits." },
    ]);
  });
});

suite("withHints", () => {
  const hintFor = (missing: string, ...sent: string[]) => {
    const problem = { field: missing, message: `${missing} is required.` };
    const [{ message } = problem] = withHints([problem], {}, ["type", missing], sent);
    return message.slice(problem.message.length).trim();
  };

  test("if a member is missing, a hint names a sent member that differs in style, one letter or words", () => {
    for (const [missing, sent] of [
      ["productCode", "product_code"],
      ["productCode", "ProductCode"],
      ["productCode", "product-code"],
      ["productCode", "PRODUCTCODE"],
      ["productCode", "productcode"],
      ["productCode", "code"],
      ["phone", "phone_number"],
      ["phone", "phoneNumber"],
      ["phone", "phne"],
      ["phone", "phonee"],
      ["phone", "phome"],
      ["bvn", "bvn_number"],
      ["idempotency_key", "idempotencyKey"],
    ] as const)
      assert.equal(hintFor(missing, "other", sent), `The request has ${sent} instead.`);
  });

  test("a hint names no sent member that is too different, is declared, or could be personal data", () => {
    for (const sent of [
      "",
      "_",
      "amount",
      "type",
      "phon number",
      "fone_nr",
      "pohen",
      "phone_08012345678",
      "phone\u202e",
    ])
      assert.equal(hintFor("phone", sent), "", sent);
  });

  test("the problem of a member that was sent gets no hint", () => {
    const problem = { field: "phone", message: "phone must be a phone number." };
    assert.deepEqual(withHints([problem], { phone: "x" }, ["phone"], ["phone", "phone_number"]), [problem]);
  });
});
