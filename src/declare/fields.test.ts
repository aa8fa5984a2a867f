import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { TSchema } from "typebox";
import { Check } from "typebox/value";
import { amountField, digitsOf, elevenDigitsField, isRepeatable, phoneField, phoneOf } from "./fields.ts";

const number = elevenDigitsField("Customer BVN: 11 digits.", "22000000017");
const accepts = (field: TSchema, texts: string[]) => texts.filter((text) => !Check(field, text));
const refuses = (field: TSchema, texts: string[]) => texts.filter((text) => Check(field, text));

suite("formats", () => {
  test("a BVN has 11 digits, any first digit, and spaces anywhere", () => {
    const shorter = ["2212345678", "221234567890", "2212345678a", "\t22123456789"];
    assert.deepEqual(accepts(number, ["22123456789", "00000000001", " 221 2345 6789 "]), []);
    assert.deepEqual(
      refuses(number, [
        "",
        " ",
        ...shorter,
        "22-000000017",
        "２２000000017",
        ...["\n", "\u00a0"].map((end) => `22123456789${end}`),
      ]),
      [],
    );
    assert.equal(digitsOf(" 221 2345 6789 "), "22123456789");
  });

  test("a phone number is accepted in four forms, with any operator's prefix", () => {
    const forms = "08012345678|2348012345678|+2348012345678|8012345678|+234 801 234 5678|0 1 0 1 2 3 4 5 6 7 8".split(
      "|",
    );
    assert.deepEqual(accepts(phoneField, forms), []);
    assert.equal(new Set(forms.slice(0, 5).map(phoneOf)).size, 1);
    assert.deepEqual(
      refuses(phoneField, ["", "801234567", "080123456789", "+1 8012345678", "++2348012345678", "0801234567x"]),
      [],
    );
    const shorter = ["0800000001", "2340800000001", "+2340800000001", "00800000001", "0 800 000 001", "2340000000000"];
    assert.deepEqual(refuses(phoneField, shorter), []);
    const others = ["+08000000017", "23408000000017", "0800-000-0017", "(0)8000000017", "08000000017\n"];
    assert.deepEqual(refuses(phoneField, others), []);
  });

  test("an amount is above zero, with at most nine digits before the point and two after", () => {
    assert.deepEqual(accepts(amountField, ["1", "100", "100.5", "100.50", "0.01", "999999999.99", "000000001"]), []);
    assert.deepEqual(
      refuses(amountField, [
        "",
        "0",
        "0.00",
        "-1",
        "1.234",
        "1234567890",
        "1e3",
        "1,000",
        " 1",
        "1 ",
        "+1",
        "1.",
        ".5",
        "₦1",
        "1\n",
      ]),
      [],
    );
  });

  test("no field's pattern needs exponential time for long hostile text", () => {
    for (const field of [number, phoneField, amountField])
      for (const text of [" ".repeat(16_000), `${"1 ".repeat(8_000)}x`, "0".repeat(16_000)])
        assert.equal(Check(field, text), false);
  });

  test("a problem repeats only short plain words, and never ten digits in a row", () => {
    assert.deepEqual(
      ["FOODATA", "a_b-1", "123456789"].filter((text) => !isRepeatable(text)),
      [],
    );
    assert.deepEqual(["", "a b", "<b>", "x".repeat(33), "22123456789", "a2212345678"].filter(isRepeatable), []);
  });
});
