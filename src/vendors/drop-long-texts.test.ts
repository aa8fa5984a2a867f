import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LongTextDropper } from "./drop-long-texts.ts";

function kept(json: string, sizes: readonly number[]): string {
  const dropper = new LongTextDropper();
  const bytes = Buffer.from(json);
  const parts: Buffer[] = [];
  for (let at = 0, nth = 0; at < bytes.length; nth += 1) {
    const size = sizes[nth % sizes.length]!;
    parts.push(...dropper.keep(bytes.subarray(at, at + size)));
    at += size;
  }
  return Buffer.concat(parts).toString();
}

const photo = fc
  .tuple(fc.constantFrom("", "data:image/jpeg;base64,"), fc.integer({ min: 0, max: 60_000 }))
  .map(([prefix, length]) => `${prefix}${"QUJD/+=x".repeat(length / 8)}`);

test("any JSON, in any chunks, loses its long base64 texts and nothing else", () => {
  const other = fc.jsonValue({ maxDepth: 3 });
  const pieces = fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(photo, other, fc.string(), pieces, fc.boolean(), (image, value, text, sizes, escapes) => {
      const json = JSON.stringify({ value, image, text, 'an \\ "escaped" name': image, last: "VERIFIED" });
      const sent = escapes ? json.replaceAll("/", "\\/") : json;
      const found = JSON.parse(kept(sent, sizes));
      const { image: cut, 'an \\ "escaped" name': again, ...rest } = found;
      assert.deepEqual(rest, JSON.parse(JSON.stringify({ value, text, last: "VERIFIED" })));
      for (const one of [cut, again])
        assert.ok(image.startsWith(one) && one.length <= 16_400 && one.length >= Math.min(image.length, 8_000));
    }),
    { numRuns: 150 },
  );
});

test("a long text that is not base64 stays whole", () => {
  const json = JSON.stringify({ note: "A sentence, with spaces. ".repeat(2_000) });
  assert.equal(kept(json, [999]), json);
});
