import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { jsonErrorAt } from "./json-error-place.ts";

suite("the place where a text stops being JSON", () => {
  test("the place of a JSON error is the beginning of the first wrong token, or the end of the text", () => {
    for (const [text, at] of [
      ["", 0],
      ["{bvn}", 1],
      ["{'bvn':1}", 1],
      ['{"a":1,}', 7],
      ['{"a":01}', 6],
      ['{"a" 1}', 5],
      ['{"a":"1"2"}', 8],
      ['{"a":1', 6],
      ['{"a":1}}', 7],
      ['{"a":1} {', 8],
      ['{\n "a": x}', 8],
      ['["a\nb"]', 1],
      ["[1,,2]", 3],
      ["[1}", 2],
      ["undefined", 0],
    ] as const)
      assert.equal(jsonErrorAt(text), at, text);
  });

  test("exactly the texts that JSON.parse rejects have an error place", () => {
    const found = { true: 0, false: 0 };
    const cut = fc.tuple(
      fc.json(),
      fc.nat(),
      fc.nat(2),
      fc.constantFrom("", "{", "]", ",", '"', ":", "0", " ", "e", "\\"),
    );
    fc.assert(
      fc.property(cut, ([json, place, removed, put]) => {
        const at = place % (json.length + 1);
        const text = json.slice(0, at) + put + json.slice(at + removed);
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        found[`${isJson}`] += 1;
        assert.equal(jsonErrorAt(text) === undefined, isJson, text);
      }),
      { numRuns: 5000 },
    );
    assert.ok(found.true > 300 && found.false > 300, JSON.stringify(found));
  });

  test("the place of a JSON error is found in a long text and below arrays as deep as a body can be", () => {
    const deep = "[".repeat(200_000);
    assert.equal(jsonErrorAt(deep), deep.length);
    assert.equal(jsonErrorAt(`"${"x".repeat(200_000)}`), 0);
    assert.equal(jsonErrorAt(`${deep}${"]".repeat(200_000)}`), undefined);
  });
});
