import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { isAccessToken, newAccessToken, newApiKey, readApiKey, sameHash, secretHash } from "./secrets.ts";

suite("API keys", () => {
  test("API keys have a mode, a public id, a secret and a checksum", () => {
    for (const mode of ["test", "live"] as const) {
      const { id, text, hash } = newApiKey(mode);
      assert.match(text, new RegExp(`^duba_${mode}_${id}_[0-9A-Za-z]{49}$`));
      assert.match(id, /^[0-9A-Za-z]{12}$/);
      assert.equal(hash, secretHash(text));
      assert.deepEqual(readApiKey(text), { id, mode });
    }
  });

  test("500 new API keys all differ", () => {
    const texts = new Set(Array.from({ length: 500 }, () => newApiKey("test").text));
    assert.equal(texts.size, 500);
  });

  test("API keys keep their checksum: CRC-32 in base62, over all that precedes it", () => {
    const known = "duba_test_AAAAAAAAAAAA_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopq0uKRIs";
    assert.deepEqual(readApiKey(known), { id: "AAAAAAAAAAAA", mode: "test" });
  });

  test("an API key with one changed character is refused", () => {
    const changes = fc.record({
      place: fc.nat(),
      character: fc.nat(0x10ffff).map((point) => String.fromCodePoint(point)),
    });
    fc.assert(
      fc.property(fc.constantFrom("test", "live"), changes, (mode, { place, character }) => {
        const { text } = newApiKey(mode);
        const at = place % text.length;
        fc.pre(text.slice(at, at + 1) !== character);
        assert.equal(readApiKey(text.slice(0, at) + character + text.slice(at + 1)), undefined);
      }),
      { numRuns: 1000 },
    );
  });

  test("an API key with swapped, missing or additional characters is refused", () => {
    const { text } = newApiKey("live");
    for (let at = 0; at + 1 < text.length; at++) {
      const swapped = text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2);
      if (swapped !== text) assert.equal(readApiKey(swapped), undefined);
      assert.equal(readApiKey(text.slice(0, at)), undefined);
    }
    for (const other of [`${text}0`, `${text}\n`, ` ${text}`, `${text} `, ""])
      assert.equal(readApiKey(other), undefined);
  });

  test("API keys are compared by hash", () => {
    assert.equal(sameHash(secretHash("a"), secretHash("a")), true);
    assert.equal(sameHash(secretHash("a"), secretHash("b")), false);
  });
});

suite("access tokens", () => {
  test("access tokens are opaque, and stored as a hash", () => {
    const { text, hash } = newAccessToken();
    assert.match(text, /^duba_at_[0-9A-Za-z]{43}$/);
    assert.equal(hash, secretHash(text));
    assert.equal(isAccessToken(text), true);
    assert.equal(isAccessToken(`${text}0`), false);
    assert.equal(isAccessToken(text.slice(1)), false);
  });
});
