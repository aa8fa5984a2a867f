import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { KeyedHashes } from "../../keyring/keyed-hash.ts";
import { keyring } from "../identity.fixture.ts";
import { shareOf } from "./route-share.ts";

const shares = [
  { vendor: "prembly", percent: 5 },
  { vendor: "dojah", percent: 0.5 },
];
const hashes = new KeyedHashes({ current: keyring });
const hashOf = (n: number) => hashes.of("idempotency key", ["acc", "live", `key-${n}`]);

suite("a share of the verifications", () => {
  for (const [what, drawn] of [
    ["by idempotency key", (n: number) => shareOf(hashOf(n), shares)],
    ["without a key", () => shareOf(null, shares)],
  ] as const)
    test(`a vendor's share of the verifications is close to its setting, ${what}`, () => {
      const all = Array.from({ length: 100_000 }, (_, n) => drawn(n));
      const percentOf = (vendor?: string) => all.filter((one) => one === vendor).length / 1_000;
      assert.ok(Math.abs(percentOf("prembly") - 5) < 0.5, `${percentOf("prembly")}`);
      assert.ok(Math.abs(percentOf("dojah") - 0.5) < 0.2, `${percentOf("dojah")}`);
      assert.ok(Math.abs(percentOf() - 94.5) < 0.6);
    });

  test("a share of the verifications is the same for every retry of a key", () => {
    for (let n = 0; n < 1_000; n += 1) assert.equal(shareOf(hashOf(n), shares), shareOf(hashOf(n), shares));
  });

  test("a vendor may get a share of 100 % of the verifications, or no share", () => {
    assert.equal(shareOf(hashOf(1), []), undefined);
    assert.equal(shareOf(hashOf(1), [{ vendor: "prembly", percent: 100 }]), "prembly");
  });
});
