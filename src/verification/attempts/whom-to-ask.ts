import {
  type Attempt,
  type AttemptStart,
  isNotFound,
  isNotSent,
  lastVendor,
  type RunOutcome,
  storedOutcome,
  unresolvedAttempts,
  withOutcome,
} from "../../ledger/attempts.ts";
import { vendorPriceOf } from "../../ledger/fees.ts";
import { type IdentitySettings, listedRoutes } from "../../ledger/identity-settings.ts";
import type { Row } from "../../ledger/ledger.ts";
import { type PassedOver, storedChoice, type VendorChoice } from "../../ledger/vendor-choice.ts";
import type { IdentityAttempt, IdentityUpstream, UpstreamNeed } from "../../vendors/ports/identity-upstream.ts";
import { isRejected } from "../../vendors/ports/reasons.ts";
import { highestBill } from "../../vendors/vendor-prices.ts";
import type { VerificationRequest } from "../request.ts";
import type { VendorOrder } from "../routes/route-cache.ts";
import { shareOf } from "../routes/route-share.ts";
import type { VerificationDependencies } from "../verification-dependencies.ts";
import { attemptsUsedUp, noFacts, noneOpen, verificationFailure } from "../verification-failures.ts";

type Parts = Pick<VerificationDependencies, "upstreams" | "settings" | "routeCache">;

/** A vendor to ask, and what its attempt stores about this choice. */
export interface ChosenVendor {
  upstream: IdentityUpstream;
  start: Required<Pick<AttemptStart, "vendor" | "price" | "why">>;
}

/** A vendor that a run may ask, and why it has this place. */
interface Stop {
  upstream: IdentityUpstream;
  /** The earlier vendors that the run cannot use. */
  passedOver: readonly PassedOver[];
  /** The vendors that this one overtook: by its share, else by the decided order compared with the listed order. */
  overtaken: readonly PassedOver[];
}

/** How many attempts of one key may stay unknown or get a bad response. The operator may have to pay for each. */
const mostUseless = 3;

/**
 * Decides which vendor a run asks, and why. A run asks the next vendor in three cases: the last one certainly did no
 * work; it timed out, and the operator accepts paying twice; it found nobody, and the operator wants a second source.
 */
export class Route {
  readonly first: ChosenVendor;
  /** Whether to look up the first vendor's work for an earlier run, and to ask again only if there was none. */
  readonly lookUpFirst: boolean;
  readonly #settings: IdentitySettings;
  readonly #kind: VerificationRequest["kind"];
  readonly #choice: Pick<VendorChoice, "policy" | "compared">;
  /** The stops in the order in which the run asks them. */
  readonly #stops: readonly Stop[];
  /** The first vendor, if it may have done the work in an earlier run. */
  readonly #resumed: IdentityUpstream | undefined;
  /** The place of the last asked vendor, and whether it is the last that may be asked. */
  #at = 0;
  #isLast = false;
  /**
   * `#isFirst`: whether no vendor got an attempt yet. `#skipped`: the vendors that could not be used since the last
   * attempt.
   */
  #isFirst = true;
  #skipped: PassedOver[] = [];

  /**
   * The route of a request, or of a retry of `row`. `hash`: keyed hash of the idempotency key, as stored. `waits`: the
   * run only waits for an earlier attempt. Throws `upstream_not_configured` if no vendor can take the request,
   * `upstream_unavailable` if the operator has paused all that can or the one that must respond first,
   * `consent_required`, and the failure of a row that has used up its attempts.
   */
  constructor(parts: Parts, request: VerificationRequest, hash: string | null, row?: Row, waits = false) {
    const { settings } = parts;
    const vendors = new Vendors(parts, request, hash, row);
    const { order } = vendors;
    const resumed = vendors.resumed?.upstream;
    this.#settings = settings;
    this.#kind = request.kind;
    this.#choice = { policy: (order && settings.routes?.policy) ?? "listed", compared: order?.compared ?? [] };
    this.#resumed = resumed;
    this.lookUpFirst = resumed?.lookUp !== undefined && !resumed.repeatable;
    const isUsedUp = row !== undefined && !waits && uselessAttempts(row, this.lookUpFirst) >= mostUseless;
    this.#stops = vendors.stops(isUsedUp ? [freeAgain(vendors.resumed ?? vendors.asked[0]!, row)] : vendors.asked);
    this.first = this.#chosen();
  }

  /**
   * The vendor to ask after this outcome of the last one; undefined: none. `elapsed`: milliseconds since the run began.
   */
  next(outcome: RunOutcome, attempts: readonly Attempt[], elapsed: number): ChosenVendor | undefined {
    const follows = this.#whatFollows(outcome, attempts, elapsed);
    if (!follows) return undefined;
    if (isNotSent(outcome)) this.#skip("not_sent");
    else [this.#isFirst, this.#skipped] = [false, []];
    while (this.#at + 1 < this.#stops.length) {
      this.#at += 1;
      const { upstream } = this.#stops[this.#at]!;
      if (!isReady(upstream)) this.#skip("not_ready");
      else if (follows === "second_source" && !this.#isAffordable(outcome, attempts)) this.#skip("too_dear");
      else {
        // "Not found" leads to one more vendor only, whatever that vendor's outcome.
        this.#isLast = follows === "second_source";
        return this.#chosen();
      }
    }
    return undefined;
  }

  /** `failover`: replaces the last attempt. `second_source`: after "not found", in the first half of the time limit. */
  #whatFollows(
    outcome: RunOutcome,
    attempts: readonly Attempt[],
    elapsed: number,
  ): "failover" | "second_source" | undefined {
    if (this.#isLast) return undefined;
    if (outcome.state === "unknown") return this.#settings.payTwice ? "failover" : undefined;
    if (outcome.state === "failed") return isRejected(outcome.reason) ? undefined : "failover";
    if (outcome.state !== "negative" || outcome.reason !== "not_found") return undefined;
    if (secondSourceMax(this.#settings) === null || elapsed >= this.#settings.timeLimit / 2) return undefined;
    const isOpen = unresolvedAttempts({ attempts }).some(({ number }) => number !== outcome.attempt);
    return isOpen ? undefined : "second_source";
  }

  /** Whether an attempt at this place would keep the bills within the bound of a second source. */
  #isAffordable(outcome: RunOutcome, attempts: readonly Attempt[]): boolean {
    const { vendorPrices = {} } = this.#settings;
    const asked = withOutcome(attempts, storedOutcome(attempts, outcome, false, vendorPrices));
    return isAffordable(this.#stops[this.#at]!.upstream, this.#kind, asked, this.#settings);
  }

  #skip(reason: PassedOver["reason"]): void {
    const { upstream, passedOver } = this.#stops[this.#at]!;
    this.#skipped.push(...passedOver, { vendor: upstream.name, reason });
  }

  #chosen(): ChosenVendor {
    const { upstream, passedOver, overtaken } = this.#stops[this.#at]!;
    const before = [...this.#skipped, ...passedOver, ...(this.#isFirst ? overtaken : [])];
    const why = upstream === this.#resumed ? null : storedChoice({ ...this.#choice, passedOver: before });
    const price = vendorPriceOf(upstream.name, this.#kind, this.#settings);
    return { upstream, start: { vendor: upstream.name, price, why } };
  }
}

/** A vendor at the start of a run, and the reasons that keep the run from asking it. */
interface Candidate {
  upstream: IdentityUpstream;
  unfit: ReturnType<typeof unfitFor>;
  isPaused: boolean;
  /** Whether "not found" in an earlier run excludes the vendor: see `isOver`. */
  isOver: boolean;
}

/** The vendors of a request at the start of a run: those that may be asked, and why the others may not. */
class Vendors {
  /** Undefined in test mode. */
  readonly order: VendorOrder | undefined;
  /** The vendor that may have done the work in an earlier run, if another request to it is allowed. */
  readonly resumed: Candidate | undefined;
  /** The vendors that the run may ask, in order. */
  readonly asked: readonly Candidate[];
  readonly #live: readonly IdentityUpstream[];
  readonly #placed: readonly Candidate[];
  /** The vendors in order of their places. If the operator's shares give this verification to one, it comes first. */
  readonly #all: readonly Candidate[];
  readonly #share: Candidate | undefined;

  constructor(
    { upstreams, settings, routeCache }: Parts,
    request: VerificationRequest,
    hash: string | null,
    row?: Row,
  ) {
    const { mode, kind } = request;
    const order = mode === "live" ? routeCache.order(kind) : undefined;
    const unfound = row && afterNotFound(row);
    this.order = order;
    this.#live = upstreams.live;
    this.#placed = (order?.upstreams ?? [upstreams.test]).map((upstream) => ({
      upstream,
      unfit: unfitFor(upstream, request, settings),
      isPaused: order !== undefined && routeCache.isPaused(upstream.name, kind),
      isOver: unfound !== undefined && isOver(upstream, unfound, kind, row!, settings),
    }));
    const share = order && shareOf(hash, (settings.routes ?? listedRoutes).shares);
    this.#share = share === undefined ? undefined : this.#placed.find(({ upstream }) => upstream.name === share);
    this.#all = withFirst(this.#share, this.#placed);

    const open = this.#open();
    const waitsFor = row && this.#vendorOfUnresolved(row, kind);
    if (open && (waitsFor ? !open.includes(waitsFor) : open.length === 0)) throw noneOpen(row);
    this.resumed = waitsFor && open ? waitsFor : undefined;
    if (this.resumed) this.asked = settings.payTwice ? open! : [this.resumed];
    else this.asked = readyOnes(open ?? []).slice(0, unfound ? 1 : undefined);
    if (this.asked.length === 0) throw verificationFailure("upstream_not_configured", undefined, noFacts);
  }

  /** Returns the stops of a run that may ask these vendors. */
  stops(asked: readonly Candidate[]): Stop[] {
    const { order } = this;
    const stops: Stop[] = [];
    let passedOver: PassedOver[] = [];
    for (const one of withFirst(this.resumed, this.#all))
      if (asked.includes(one)) {
        stops.push({ upstream: one.upstream, passedOver, overtaken: order ? this.#overtakenBy(one, order) : [] });
        passedOver = [];
      } else if (!one.isOver) passedOver.push(because(one, "not_ready"));
    return stops;
  }

  /** The vendors that may be asked now; undefined if none could take the request even without pauses. */
  #open(): Candidate[] | undefined {
    const open: Candidate[] = [];
    let isAnyFit = false;
    for (const one of this.#all) {
      isAnyFit ||= one.unfit === undefined;
      if (one.unfit === undefined && !one.isPaused && !one.isOver) open.push(one);
    }
    if (isAnyFit) return open;
    if (this.#all.some(({ unfit }) => unfit === "needs_consent"))
      throw verificationFailure("consent_required", undefined, noFacts);
    return undefined;
  }

  /**
   * A row with an unresolved attempt stays with the vendor of that attempt, even a paused or unfit one, because another
   * vendor would bill as well.
   */
  #vendorOfUnresolved(row: Row, kind: VerificationRequest["kind"]): Candidate | undefined {
    const vendor = unresolvedAttempts(row).at(-1)?.vendor;
    return this.#all.find(({ upstream }) => upstream.name === vendor && upstream.kinds.includes(kind));
  }

  /** The vendors that `one` overtook: by its share, else by the decided order compared with the listed order. */
  #overtakenBy(one: Candidate, order: VendorOrder): PassedOver[] {
    if (one === this.#share)
      return this.#placed.slice(0, this.#placed.indexOf(one)).map((other) => because(other, "share"));
    const later = this.#all.slice(this.#all.indexOf(one) + 1);
    const listedBefore = this.#live.slice(0, this.#live.indexOf(one.upstream));
    const overtaken = listedBefore.flatMap((listed) => later.find(({ upstream }) => upstream === listed) ?? []);
    return overtaken.map((other) => because(other, order.whyBehind(other.upstream.name)));
  }
}

function withFirst<One>(first: One | undefined, all: readonly One[]): readonly One[] {
  return first === undefined ? all : [first, ...all.filter((one) => one !== first)];
}

/** Returns the candidates that are ready; all of them if none is. */
function readyOnes(open: readonly Candidate[]): readonly Candidate[] {
  const ready = open.filter(({ upstream }) => isReady(upstream));
  return ready.length > 0 ? ready : open;
}

/** Why a vendor is passed over: the reason against asking it, else `otherwise`. */
function because({ upstream, unfit, isPaused }: Candidate, otherwise: PassedOver["reason"]): PassedOver {
  const reason = unfit ?? (isPaused ? "paused" : isReady(upstream) ? otherwise : "not_ready");
  return { vendor: upstream.name, reason };
}

/**
 * Whether "not found" in an earlier run excludes a vendor from a retry. If a second source was tried, all vendors
 * except it are excluded; otherwise the vendor that found nobody, and vendors that are too dear for a second source.
 */
function isOver(
  one: IdentityUpstream,
  unfound: NonNullable<ReturnType<typeof afterNotFound>>,
  kind: VerificationRequest["kind"],
  { attempts }: Row,
  settings: IdentitySettings,
): boolean {
  if (unfound.next !== undefined) return one.name !== unfound.next;
  return one.name === unfound.by || !isAffordable(one, kind, attempts, settings);
}

/** The most kobo of all bills if another vendor is asked after "not found". Null: none is asked. */
function secondSourceMax({ routes }: IdentitySettings): number | null {
  return (routes ?? listedRoutes).notFoundMax;
}

/** Whether a second source keeps the bills of these attempts within their bound even at its highest price. */
function isAffordable(
  { name }: IdentityUpstream,
  kind: VerificationRequest["kind"],
  attempts: readonly Attempt[],
  settings: IdentitySettings,
): boolean {
  const most = secondSourceMax(settings);
  const bills = [...attempts.map(({ bill }) => bill), highestBill(kind, settings.vendorPrices?.[name])];
  const sum = bills.reduce((sum, kobo) => (sum === null || kobo === null ? null : sum + kobo), 0);
  return most !== null && sum !== null && sum <= most;
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
  // If both are missing, we report the names, because a consent alone would not help.
  for (const need of ["names", "consent"] as const) if (needs.includes(need) && !brings[need]) return `needs_${need}`;
  return undefined;
}

function isReady(upstream: IdentityUpstream): boolean {
  return upstream.isReady?.() !== false;
}

/**
 * Returns the vendor that reported "not found", and the `next` vendor that was tried, with which a retry continues. If
 * none was tried, because the store did not take that attempt, a retry asks one other vendor within the bounds of a
 * second source.
 */
function afterNotFound({ attempts }: Row): { by: string; next: string | undefined } | undefined {
  const at = attempts.findIndex(isNotFound);
  if (at < 0) return undefined;
  return { by: attempts[at]!.vendor, next: attempts.slice(at + 1).at(-1)?.vendor };
}

/**
 * Counts attempts without a result that the vendor may bill. With `lookUpFirst`, unresolved attempts do not count,
 * because a look-up is not a new attempt.
 */
function uselessAttempts(row: Row, lookUpFirst: boolean): number {
  const badAnswers = row.attempts.filter(({ reason }) => reason === "bad_response").length;
  return badAnswers + (lookUpFirst ? 0 : unresolvedAttempts(row).length);
}

/**
 * Returns the last vendor if it repeats its responses for free; only then may it be asked once more. Otherwise throws
 * the `Failure` for used-up attempts.
 */
function freeAgain(last: Candidate, row: Row): Candidate {
  const { name, repeatable } = last.upstream;
  if (!repeatable || name !== lastVendor(row)) throw attemptsUsedUp(row);
  return last;
}
