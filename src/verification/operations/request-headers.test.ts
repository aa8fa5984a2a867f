import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../declare/failures.ts";
import { consentReferenceOf, idempotencyKeyOf, traceparentOf } from "./request-headers.ts";

const numbers = { kind: "bvn" as const, number: "22000000017", claims: { phone: "8012345678" } };

test("an idempotency key of 1 to 255 visible characters is accepted, quoted or bare", () => {
  for (const key of ["a", "a-b_c.d:e/~!", '"', 'a"b', "x".repeat(255)])
    assert.equal(idempotencyKeyOf(key, numbers), key);
  assert.equal(idempotencyKeyOf('"abc"', numbers), "abc");
  assert.equal(idempotencyKeyOf(`"${"x".repeat(255)}"`, numbers).length, 255);
});

test("an idempotency key of another form is refused", () => {
  for (const key of ["", '""', "a b", '"a b"', " a", "é", "a\tb", "x".repeat(256), "a, b"])
    assert.throws(
      () => idempotencyKeyOf(key, numbers),
      (error) => error instanceof Failure && error.code === "invalid_idempotency_key",
      JSON.stringify(key),
    );
});

const revealing = [
  "22000000017",
  "order-22000000017-1",
  "220-0000-0017",
  "2_2_0_0_0_0_0_0_0_1_7",
  '"x22000000017"',
  "8012345678",
  "08012345678",
  "+2348012345678",
  "2348012345678",
  "0801-234-5678",
];

test("an idempotency key or consent that contains the request's BVN or phone is refused", () => {
  for (const text of revealing) {
    assert.throws(() => idempotencyKeyOf(text, numbers), /must not contain the BVN or the phone number/, text);
    assert.throws(
      () => consentReferenceOf(text, numbers),
      (error) => error instanceof Failure && error.code === "validation_failed",
      text,
    );
    assert.ok(idempotencyKeyOf(text, { kind: "bvn", number: "22000000018", claims: { phone: "8012345679" } }));
  }
});

test("a consent reference is 1 to 128 visible characters, and its problem names the header", () => {
  assert.equal(consentReferenceOf("c".repeat(128), numbers), "c".repeat(128));
  for (const text of ["", "a b", "é", "c".repeat(129)])
    assert.throws(
      () => consentReferenceOf(text, numbers),
      (error) =>
        error instanceof Failure &&
        error.code === "validation_failed" &&
        error.detail.fields?.[0]?.field === "Consent-Reference" &&
        error.detail.fields[0].message === "Consent-Reference must be 1 to 128 visible ASCII characters.",
    );
});

test("a well-formed W3C trace context is passed on, and any other is dropped", () => {
  const good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  assert.equal(traceparentOf(good), good);
  for (const bad of [
    undefined,
    "",
    "22000000017",
    good.toUpperCase(),
    `${good}-more`,
    good.replace(/^00/, "ff"),
    good.replace("4bf92f3577b34da6a3ce929d0e0e4736", "0".repeat(32)),
    good.replace("00f067aa0ba902b7", "0".repeat(16)),
  ])
    assert.equal(traceparentOf(bad), undefined);
});
