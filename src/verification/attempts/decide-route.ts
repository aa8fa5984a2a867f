import {
  type Attempt,
  type AttemptStart,
  isNotFound,
  lastVendor,
  type RunOutcome,
  unresolvedAttempts,
} from "../../ledger/attempts.ts";
import { vendorPriceOf } from "../../ledger/fees.ts";
import { type IdentitySettings, listedRoutes } from "../../ledger/identity-settings.ts";
import type { Row } from "../../ledger/ledger.ts";
import { type PassedOver, storedChoice, type VendorChoice } from "../../ledger/vendor-choice.ts";
import type { IdentityAttempt, IdentityUpstream, UpstreamNeed } from "../../vendors/ports/identity-upstream.ts";
import { isRejected } from "../../vendors/ports/reasons.ts";
import { highestBill } from "../../vendors/vendor-prices.ts";
import type { VerificationRequest } from "../request.ts";
import { shareOf } from "../routes/learning-share.ts";
import type { VerificationDependencies } from "../verification-dependencies.ts";
import { attemptsUsedUp, noFacts, noneOpen, verificationFailure } from "../verification-failures.ts";

/** A vendor that a run may try, and why it has this place. Money is in kobo. */
export interface Stop {
  upstream: IdentityUpstream;
  /** The vendors before it that the run cannot use. */
  passedOver: readonly PassedOver[];
  /** The vendors that would come before it without its share, or as listed. */
  overtaken: readonly PassedOver[];
  /** What it bills for an attempt, and what it bills at most. Null: not known. */
  price: number | null;
  highestBill: number | null;
}

/** The vendors of one run, decided before its first attempt. */
export interface Route extends Pick<VendorChoice, "policy" | "compared"> {
  /** In the order of attempts. */
  stops: readonly [Stop, ...Stop[]];
  /** The first vendor, if it may have done the work in an earlier run. */
  resumed: IdentityUpstream | undefined;
  /** Whether to look up that work, and to make another attempt only if there is none. */
  lookUpFirst: boolean;
  /** Whether another vendor may be tried while one may have done the work. */
  payTwice: boolean;
  /**
   * Bounds of an attempt at another vendor after "not found": kobo of all bills, and milliseconds. Null: none is made.
   */
  secondSource: { most: number; within: number } | null;
}

/** How many attempts of one key may stay unknown or get a bad response. The operator may have to pay for each. */
const mostUseless = 3;

/**
 * Decides the route of a request, or of a retry of `row`. `hash`: keyed hash of the idempotency key, as stored.
 * `waits`: the run only waits for an earlier attempt. Throws `upstream_not_configured` if no vendor can take the
 * request, `upstream_unavailable` if the operator has paused all that can or the one that must respond first,
 * `consent_required`, and the failure of a row that has used up its attempts.
 */
export function decideRoute(
  { upstreams, settings, routeCache }: Pick<VerificationDependencies, "upstreams" | "settings" | "routeCache">,
  request: VerificationRequest,
  hash: string | null,
  row?: Row,
  waits = false,
): Route {
  const { mode, kind } = request;
  const { policy, shares, notFoundMax } = settings.routes ?? listedRoutes;
  const order = mode === "live" ? routeCache.order(kind) : undefined;
  const placed = order?.upstreams ?? [upstreams.test];
  const share = order && shareOf(hash, shares);
  const all =
    share === undefined ? placed : placed.toSorted((a, b) => Number(b.name === share) - Number(a.name === share));

  const unfit = (one: IdentityUpstream) => unfitFor(one, request, settings);
  const isPaused = ({ name }: IdentityUpstream) => order !== undefined && routeCache.isPaused(name, kind);
  const secondSource = notFoundMax === null ? null : { most: notFoundMax, within: settings.timeLimit / 2 };
  const billOf = ({ name }: IdentityUpstream) => highestBill(kind, settings.vendorPrices?.[name]);
  const mayBeSecond = (one: IdentityUpstream) =>
    secondSource !== null && isAffordable({ secondSource }, row!.attempts, { highestBill: billOf(one) });
  const unfound = afterNotFound(row);
  const isOver = (one: IdentityUpstream) =>
    unfound?.next === undefined
      ? unfound !== undefined && (one.name === unfound.by || !mayBeSecond(one))
      : one.name !== unfound.next;
  const usable = all.filter((one) => unfit(one) === undefined);
  if (usable.length === 0 && all.some((one) => unfit(one) === "needs_consent"))
    throw verificationFailure("consent_required", undefined, noFacts);
  const open = usable.filter((one) => !isPaused(one) && !isOver(one));
  // A row with an unresolved attempt stays with that vendor, even if it is paused or unfit by now, because another
  // vendor would bill too.
  const unresolved = row && unresolvedAttempts(row).at(-1);
  const waitsFor = all.find(({ name, kinds }) => name === unresolved?.vendor && kinds.includes(kind));
  if (usable.length > 0 && (waitsFor ? !open.includes(waitsFor) : open.length === 0)) throw noneOpen(row);
  const resumed = waitsFor && open.includes(waitsFor) ? waitsFor : undefined;
  const lookUpFirst = resumed?.lookUp !== undefined && !resumed.repeatable;

  const ready = open.filter(isReady);
  const usual = (ready.length > 0 ? ready : open).slice(0, unfound ? 1 : undefined);
  let tried = !resumed ? usual : settings.payTwice ? open : [resumed];
  if (tried.length === 0) throw verificationFailure("upstream_not_configured", undefined, noFacts);
  if (row && !waits && uselessAttempts(row, lookUpFirst) >= mostUseless) {
    // A vendor that repeats its responses does so for free.
    const last = resumed ?? tried[0]!;
    if (!last.repeatable || last.name !== lastVendor(row)) throw attemptsUsedUp(row);
    tried = [last];
  }

  const because = (one: IdentityUpstream, otherwise: PassedOver["reason"]): PassedOver => {
    const reason = unfit(one) ?? (isPaused(one) ? "paused" : isReady(one) ? otherwise : "not_ready");
    return { vendor: one.name, reason };
  };
  const overtakenBy = (one: IdentityUpstream): PassedOver[] => {
    if (!order) return [];
    if (one.name === share) return placed.slice(0, placed.indexOf(one)).map((other) => because(other, "share"));
    const { live } = upstreams;
    const before = live.slice(0, live.indexOf(one)).filter((other) => all.indexOf(other) > all.indexOf(one));
    return before.map((other) => because(other, order.whyBehind(other.name)));
  };
  const stops: Stop[] = [];
  let passedOver: PassedOver[] = [];
  for (const one of resumed ? [resumed, ...all.filter((other) => other !== resumed)] : all)
    if (tried.includes(one)) {
      const price = vendorPriceOf(one.name, kind, settings);
      stops.push({ upstream: one, passedOver, overtaken: overtakenBy(one), price, highestBill: billOf(one) });
      passedOver = [];
    } else if (!isOver(one)) passedOver.push(because(one, "not_ready"));
  return {
    policy: order ? policy : "listed",
    compared: order?.compared ?? [],
    stops: stops as [Stop, ...Stop[]],
    resumed,
    lookUpFirst,
    payTwice: settings.payTwice,
    secondSource,
  };
}

/** What an attempt at a stop stores. `skipped`: vendors that the run could not use since its last attempt. */
export function startAt(
  route: Route,
  { upstream, price, passedOver, overtaken }: Stop,
  { isFirst, skipped }: { isFirst: boolean; skipped: readonly PassedOver[] } = { isFirst: true, skipped: [] },
): Required<Pick<AttemptStart, "vendor" | "price" | "why">> {
  const before = [...skipped, ...passedOver, ...(isFirst ? overtaken : [])];
  const why = upstream === route.resumed ? null : storedChoice({ ...route, passedOver: before });
  return { vendor: upstream.name, price, why };
}

/**
 * What may follow an outcome: an attempt in place of this one, or at a second source, which bills separately and needs
 * half of the caller's time. `elapsed`: milliseconds since the run began.
 */
export function whatMayFollow(
  { payTwice, secondSource }: Route,
  outcome: RunOutcome,
  attempts: readonly Attempt[],
  elapsed: number,
): "failover" | "second_source" | undefined {
  if (outcome.state === "unknown") return payTwice ? "failover" : undefined;
  if (outcome.state === "failed") return isRejected(outcome.reason) ? undefined : "failover";
  if (!secondSource || outcome.state !== "negative" || outcome.reason !== "not_found") return undefined;
  const isOpen = unresolvedAttempts({ attempts }).some(({ number }) => number !== outcome.attempt);
  return !isOpen && elapsed < secondSource.within ? "second_source" : undefined;
}

/** Whether a second source leaves the bills of these attempts within their bound even at its highest price. */
export function isAffordable(
  { secondSource }: Pick<Route, "secondSource">,
  attempts: readonly Attempt[],
  { highestBill }: Pick<Stop, "highestBill">,
): boolean {
  const bills = [...attempts.map(({ bill }) => bill), highestBill];
  const sum = bills.reduce((sum, kobo) => (sum === null || kobo === null ? null : sum + kobo), 0);
  return sum !== null && sum <= secondSource!.most;
}

/**
 * Why a vendor cannot take a request: it does not offer the kind, or needs something that the request lacks. Undefined
 * if it can. `consentAttested`: the operator holds the consent of every person.
 */
export function unfitFor(
  { kinds, needs = [] }: IdentityUpstream,
  { kind, claims, consentReference }: Pick<IdentityAttempt, "kind" | "claims" | "consentReference">,
  { consentAttested }: Pick<IdentitySettings, "consentAttested">,
): "other_kind" | `needs_${UpstreamNeed}` | undefined {
  if (!kinds.includes(kind)) return "other_kind";
  const brings: Record<UpstreamNeed, boolean> = {
    consent: consentAttested || consentReference !== undefined,
    names: claims.first_name !== undefined && claims.last_name !== undefined,
  };
  // If both are missing, we report the names: a caller can add a consent, but names are only compared.
  const lacks = (["names", "consent"] as const).find((need) => needs.includes(need) && !brings[need]);
  return lacks && `needs_${lacks}`;
}

function isReady(upstream: IdentityUpstream): boolean {
  return upstream.isReady?.() !== false;
}

/**
 * The vendor that reported "not found" and the one that was tried `next`, with which a retry continues. If none was
 * tried, as the store did not take the attempt, a retry asks one other within the bounds of a second source.
 */
function afterNotFound(row: Row | undefined): { by: string; next: string | undefined } | undefined {
  const attempts = row?.attempts ?? [];
  const at = attempts.findIndex(isNotFound);
  if (at < 0) return undefined;
  return { by: attempts[at]!.vendor, next: attempts.slice(at + 1).at(-1)?.vendor };
}

/** The attempts that brought nothing although they may be billed. A look-up of one is no new attempt. */
function uselessAttempts(row: Row, lookUpFirst: boolean): number {
  const badAnswers = row.attempts.filter(({ reason }) => reason === "bad_response").length;
  return badAnswers + (lookUpFirst ? 0 : unresolvedAttempts(row).length);
}
