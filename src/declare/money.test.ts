import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { koboOf, nairaOf } from "./money.ts";

suite("money", () => {
  test("plain naira text converts to kobo and back", () => {
    const both: [string, number, string][] = [
      ["100", 10000, "100"],
      ["100.5", 10050, "100.5"],
      ["100.50", 10050, "100.5"],
      ["0.05", 5, "0.05"],
      ["7.00", 700, "7"],
      ["0", 0, "0"],
    ];
    for (const [text, kobo, written] of both) {
      assert.equal(koboOf(text), kobo);
      assert.equal(nairaOf(kobo), written);
    }
  });

  test("nairaOf writes a debt with a minus", () => {
    assert.deepEqual([-10_050, -5, -100, -0].map(nairaOf), ["-100.5", "-0.05", "-1", "0"]);
  });

  test("koboOf refuses text that is not plain naira", () => {
    for (const text of ["", "-1", "1.", ".5", "1.234", "1e3", "1,000", "₦5", " 5", "0x1"])
      assert.equal(koboOf(text), undefined);
  });

  test("every amount of kobo survives the conversion to text and back", () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 1e14 }), (kobo) => koboOf(nairaOf(kobo)) === kobo));
  });
});
