import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../declare/failures.ts";
import { newAttempt } from "../../ledger/attempts.ts";
import { type IdentitySettings, listedRoutes } from "../../ledger/identity-settings.ts";
import type { Row } from "../../ledger/ledger.ts";
import { newRow } from "../../ledger/ledger-moves.fixture.ts";
import type { IdentityUpstream } from "../../vendors/ports/identity-upstream.ts";
import { unknown } from "../../vendors/ports/outcomes.ts";
import { newRequest, usualSettings } from "../identity.fixture.ts";
import { RouteCache } from "../routes/route-cache.ts";
import { type ChosenVendor, Route } from "./whom-to-ask.ts";

const named = (name: string, more: Partial<IdentityUpstream> = {}): IdentityUpstream => ({
  name,
  kinds: ["bvn", "nin"],
  verify: async () => unknown,
  ...more,
});
const [any, other, onlyBvn] = [named("any"), named("other"), named("only-bvn", { kinds: ["bvn"] })];
const [consent, names, both] = [
  named("consent", { needs: ["consent"] }),
  named("names", { needs: ["names"] }),
  named("both", { needs: ["consent", "names"] }),
];

/** The route of a NIN with these claims. */
const routeOf = (
  live: IdentityUpstream[],
  given: { claims?: Record<string, string>; consentReference?: string } = {},
  changes: Partial<IdentitySettings> = {},
  row?: Row,
) => {
  const settings = { ...usualSettings, ...changes };
  const routeCache = new RouteCache({} as never, Date.now, live, listedRoutes);
  const request = newRequest({ mode: "live", kind: "nin", claims: {}, ...given });
  return new Route({ upstreams: { test: any, live }, settings, routeCache }, request, null, row);
};
/** The vendors that get the request, in order, if each of them does no work. */
const walked = (...given: Parameters<typeof routeOf>): ChosenVendor[] => {
  const route = routeOf(...given);
  const chosen = [route.first];
  const failed = { state: "failed", reason: "out_of_service", attempt: 1, at: 1 } as const;
  for (let next = route.next(failed, [], 0); next; next = route.next(failed, [], 0)) chosen.push(next);
  return chosen;
};
const usable = (...given: Parameters<typeof routeOf>) => walked(...given).map(({ upstream }) => upstream.name);

test("an upstream that does not offer the kind, or needs what the request lacks, is passed over", () => {
  const all = [both, onlyBvn, consent, names, any];
  assert.deepEqual(usable(all), ["any"]);
  assert.deepEqual(usable(all, { consentReference: "c-1" }), ["consent", "any"]);
  assert.deepEqual(usable(all, { claims: { first_name: "Ada", last_name: "Obi" } }), ["names", "any"]);
  assert.deepEqual(usable(all, { claims: { first_name: "Ada" } }), ["any"]);
  const whole = { consentReference: "c-1", claims: { first_name: "Ada", last_name: "Obi" } };
  assert.deepEqual(usable(all, whole), ["both", "consent", "names", "any"]);
});

test("if the operator attests consent for every call, requests need no Consent-Reference", () => {
  assert.deepEqual(usable([consent, any], {}, { consentAttested: true }), ["consent", "any"]);
});

test("the failure names a missing consent, but for missing names it says that no vendor is set up", () => {
  const fails = (code: string) => (error: unknown) => error instanceof Failure && error.code === code;
  assert.throws(() => usable([consent]), fails("consent_required"));
  assert.throws(() => usable([both, consent]), fails("consent_required"));
  assert.throws(() => usable([both, names]), fails("upstream_not_configured"));
});

test("a retry may ask any vendor if the vendor of the unresolved attempt is no longer set up", () => {
  const row = newRow({ attempts: 0, mode: "live", kind: "nin" });
  const gone = newAttempt(row, { vendor: "gone", at: 1, requestId: "q", price: null });
  assert.deepEqual(usable([any, other], {}, {}, { ...row, attempts: [gone] }), ["any", "other"]);
});

test("after not found, a retry asks one further vendor if all bills together stay within the bound", () => {
  const row = newRow({ attempts: 0, mode: "live", kind: "nin" });
  const first = newAttempt(row, { vendor: "any", at: 1, requestId: "q", price: 4_000 });
  const unfound = { ...row, attempts: [{ ...first, outcome: "negative", reason: "not_found" } as const] };
  const asked = (notFoundMax: number | null) => {
    const vendorPrices = { any: { nin: 4_000 }, other: { nin: 6_000 }, last: { nin: 5_000 }, more: { nin: 5_000 } };
    const changes = { routes: { ...listedRoutes, notFoundMax }, vendorPrices };
    return usable([any, other, named("last"), named("more")], {}, changes, unfound);
  };
  assert.deepEqual([asked(10_000), asked(9_000)], [["other"], ["last"]]);
  const isUnavailable = (error: unknown) => error instanceof Failure && error.code === "upstream_unavailable";
  for (const most of [8_999, null]) assert.throws(() => asked(most), isUnavailable);
});

test("a vendor that this verification asked before is not listed as passed over", () => {
  const row = newRow({ attempts: 0, run: 3, mode: "live", kind: "nin" });
  const start = { at: 1, requestId: "q", price: null };
  const [first, second] = (["any", "other"] as const).map((vendor, at) =>
    newAttempt({ ...row, run: at + 1 }, { ...start, vendor }),
  );
  const last = named("last");
  const notFound = { ...first!, outcome: "negative", reason: "not_found" } as const;
  const released = { ...second!, outcome: "failed", reason: "released" } as const;
  const whys = (changes: Partial<IdentitySettings>, attempts: Row["attempts"]) => {
    return walked([any, other, last], {}, changes, { ...row, attempts }).map(({ start }) => [start.vendor, start.why]);
  };
  assert.deepEqual(whys({}, [notFound, released]), [["other", null]]);
  assert.deepEqual(whys({ payTwice: true }, [second!]), [
    ["other", null],
    ["any", null],
    ["last", null],
  ]);
});
