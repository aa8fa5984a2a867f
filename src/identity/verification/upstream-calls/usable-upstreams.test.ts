import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../../operation/failures.ts";
import type { IdentityUpstream } from "../../../upstreams/ports/identity-upstream.ts";
import { unknown } from "../../../upstreams/ports/outcomes.ts";
import { usableUpstreams } from "./usable-upstreams.ts";

const named = (name: string, more: Partial<IdentityUpstream> = {}): IdentityUpstream => ({
  ...{ name, kinds: ["bvn", "nin"], verify: async () => unknown },
  ...more,
});
const [any, onlyBvn] = [named("any"), named("only-bvn", { kinds: ["bvn"] })];
const [consent, names, both] = [
  named("consent", { needs: ["consent"] }),
  named("names", { needs: ["names"] }),
  named("both", { needs: ["consent", "names"] }),
];

/** Names the upstreams that may get a NIN with these claims. */
const usable = (
  all: IdentityUpstream[],
  given: { claims?: Record<string, string>; consentReference?: string } = {},
  consentAttested = false,
) => usableUpstreams(all, { kind: "nin", claims: {}, ...given }, { consentAttested }).map(({ name }) => name);

test("an upstream that does not offer the kind, or needs what the request lacks, is passed over", () => {
  const all = [both, onlyBvn, consent, names, any];
  assert.deepEqual(usable(all), ["any"]);
  assert.deepEqual(usable(all, { consentReference: "c-1" }), ["consent", "any"]);
  assert.deepEqual(usable(all, { claims: { first_name: "Ada", last_name: "Obi" } }), ["names", "any"]);
  assert.deepEqual(usable(all, { claims: { first_name: "Ada" } }), ["any"]);
  const whole = { consentReference: "c-1", claims: { first_name: "Ada", last_name: "Obi" } };
  assert.deepEqual(usable(all, whole), ["both", "consent", "names", "any"]);
});

test("an operator who attests the consent of every call need not be sent it", () => {
  assert.deepEqual(usable([consent, any], {}, true), ["consent", "any"]);
});

test("if only a consent is missing, the caller is told so; if names are, no upstream is set up", () => {
  const isRefusal = (error: unknown) => error instanceof Failure && error.code === "consent_required";
  assert.throws(() => usable([consent]), isRefusal);
  assert.throws(() => usable([both, consent]), isRefusal);
  assert.deepEqual(usable([both, names]), []);
});
