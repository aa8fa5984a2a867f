import { pacer } from "../../runtime/pace.ts";
import type { InvoiceLine } from "./invoice.ts";

/** One of our attempts at a vendor. */
export interface OwnAttempt {
  /** The request_reference of its verification. */
  reference: string;
  /** The number of the attempt within its verification. */
  number: number;
  /** Milliseconds since 1970. */
  started_at: number;
  vendor_reference: string | null;
  /** Null if the person was erased. */
  last4: string | null;
  /** The expected bill in kobo. Null: unknown. */
  price: number | null;
  /** False if the vendor may or may not bill the attempt: then a line and a missing line are both right. */
  isBilled: boolean;
  /** Whether the vendor did no work, as far as we know. */
  hasFailed: boolean;
}

export const differences = [
  "other_price",
  "failed_here",
  "no_price",
  "doubled",
  "credit",
  "only_vendor",
  "of_erased",
  "only_here",
] as const;
export type Difference = (typeof differences)[number];

/** A line and the attempt that it matches, or one of them alone. */
export interface Pair {
  line: InvoiceLine | null;
  attempt: OwnAttempt | null;
}

export interface Comparison {
  /** Matched lines with our price. Without prices in the invoice, all matched lines. */
  agreed: Pair[];
  /** Whether the invoice has prices. */
  isPriced: boolean;
  /** Pairs by kind of difference. */
  differences: Record<Difference, Pair[]>;
  /** The references of verifications whose line may be of another, and of erased ones that may have a line. */
  ambiguous: ReadonlySet<string>;
}

interface Candidate {
  attempt: OwnAttempt;
  doubt: number;
  /** Milliseconds between the line and the attempt. */
  distance: number;
}

interface Match {
  line: InvoiceLine;
  attempt: OwnAttempt;
}

/** How far a vendor's clock may differ from ours, in milliseconds. */
export const clockTolerance = 10 * 60_000;

/**
 * Matches each line of an invoice with an attempt: by the vendor's reference or by ours, which some vendors use, else
 * by the last digits and the nearest time. Among several attempts, the one with the least doubt (`doubtOf`) comes
 * first. A line is `doubled` if another line already has its attempt or its reference. A `credit` is a negative line
 * that reverses no other line. A line is `of_erased` if it fits nothing but the time of an attempt without digits: it
 * may be of that person or of nobody.
 */
export async function matchInvoice(
  invoice: readonly InvoiceLine[],
  attempts: readonly OwnAttempt[],
): Promise<Comparison> {
  const { lines, credits } = reverseLines(invoice);
  const pause = pacer();
  const lineOf = new Map<OwnAttempt, InvoiceLine>();
  const doubled: Pair[] = [];
  const ambiguous = new Set<string>();
  const compare = (candidates: readonly { attempt: OwnAttempt }[]) => {
    const references = new Set(candidates.map(({ attempt }) => attempt.reference));
    if (references.size > 1) for (const each of references) ambiguous.add(each);
  };
  /** Our reference belongs to all attempts of a verification, a vendor's reference to one attempt. */
  const named = Map.groupBy(
    attempts.flatMap((attempt) => [
      { name: attempt.vendor_reference, attempt },
      { name: attempt.reference, attempt },
    ]),
    ({ name }) => name,
  );
  const unmatched: InvoiceLine[] = [];
  const seen = new Map<string, InvoiceLine>();
  for (const line of lines) {
    await pause();
    const candidates = line.reference === null ? [] : (named.get(line.reference) ?? []);
    compare(candidates);
    const [best] = candidates
      .filter(({ attempt }) => !lineOf.has(attempt))
      .map(({ attempt }) => candidateOf(line, attempt))
      .sort(byFit);
    if (best) lineOf.set(best.attempt, line);
    else if (candidates[0]) doubled.push({ line, attempt: candidates[0].attempt });
    else if (line.reference !== null && seen.has(line.reference)) doubled.push({ line, attempt: null });
    else unmatched.push(line);
    if (line.reference !== null) seen.set(line.reference, line);
  }

  // A line and an attempt with different references of the vendor never match.
  const near = nearbyAttempts(attempts);
  const nearErased = nearbyAttempts(attempts, { byTime: true });
  const pairs: (Match & Candidate)[] = [];
  for (const line of unmatched) {
    await pause();
    const candidates = near(line);
    for (const each of candidates) pairs.push({ line, ...each });
    // Free attempts do not compete for a line.
    compare(candidates.filter(({ attempt, doubt }) => doubt < costsNothing && !lineOf.has(attempt)));
  }
  const settled = new Set<InvoiceLine>();
  for (const { line, attempt } of pairUp(pairs.filter(({ attempt }) => !lineOf.has(attempt)))) {
    lineOf.set(attempt, line);
    settled.add(line);
  }
  const left: InvoiceLine[] = [];
  for (const line of unmatched) {
    await pause();
    if (settled.has(line)) continue;
    const twin = line.reference === null ? near(line)[0]?.attempt : undefined;
    if (twin) doubled.push({ line, attempt: twin });
    else left.push(line);
  }
  const ofErased: (Match & Candidate)[] = [];
  for (const line of left) {
    await pause();
    for (const each of nearErased(line)) {
      if (each.doubt === costsNothing || lineOf.has(each.attempt)) continue;
      ofErased.push({ line, ...each });
      ambiguous.add(each.attempt.reference);
    }
  }
  const perhaps = pairUp(ofErased);
  const isPerhaps = new Set<InvoiceLine | OwnAttempt>(perhaps.flatMap(({ line, attempt }) => [line, attempt]));

  const matched = attempts.flatMap((attempt) => {
    const line = lineOf.get(attempt);
    return line ? [{ line, attempt }] : [];
  });
  const isPriced = lines.some(({ price }) => price !== null);
  const isSamePrice = ({ line, attempt }: (typeof matched)[number]) => !isPriced || line.price === attempt.price;
  const hasBoth = ({ line, attempt }: (typeof matched)[number]) => line.price !== null && attempt.price !== null;
  const isOfFailed = ({ attempt }: (typeof matched)[number]) => attempt.hasFailed && attempt.price === 0;
  const others = matched.filter((pair) => !isSamePrice(pair));
  return {
    agreed: matched.filter(isSamePrice),
    isPriced,
    differences: {
      other_price: others.filter((pair) => hasBoth(pair) && !isOfFailed(pair)),
      failed_here: others.filter((pair) => hasBoth(pair) && isOfFailed(pair)),
      no_price: others.filter((pair) => !hasBoth(pair)),
      doubled,
      credit: credits.map((line) => ({ line, attempt: null })),
      only_vendor: left.filter((line) => !isPerhaps.has(line)).map((line) => ({ line, attempt: null })),
      of_erased: perhaps,
      only_here: attempts
        .filter((attempt) => !lineOf.has(attempt) && !isPerhaps.has(attempt) && attempt.isBilled && attempt.price !== 0)
        .map((attempt) => ({ line: null, attempt })),
    },
    ambiguous,
  };
}

/**
 * Subtracts each credit from a line with its reference, preferably one of the same amount. Lines that become 0 are
 * removed. `credits`: those that match no line.
 */
function reverseLines(invoice: readonly InvoiceLine[]): { lines: InvoiceLine[]; credits: InvoiceLine[] } {
  const isCredit = ({ price }: InvoiceLine) => price !== null && price < 0;
  const lines = invoice.filter((line) => !isCredit(line)).map((line) => ({ ...line }));
  const named = Map.groupBy(lines, ({ reference }) => reference);
  const reversed = new Set<InvoiceLine>();
  const credits = invoice.filter(isCredit).filter(({ reference, price }) => {
    const own = reference === null ? [] : (named.get(reference) ?? []);
    const restOf = (line: InvoiceLine) => (line.price ?? 0) + price!;
    const best = own.find((line) => restOf(line) === 0) ?? own.find((line) => restOf(line) > 0);
    if (!best) return true;
    best.price = restOf(best);
    if (best.price === 0) reversed.add(best);
    return false;
  });
  return { lines: lines.filter((line) => !reversed.has(line)), credits };
}

/**
 * Returns a function that finds the attempts that match a line by digits and time, the best fit first. `byTime`: those
 * without digits, by time alone.
 */
function nearbyAttempts(attempts: readonly OwnAttempt[], { byTime = false } = {}) {
  const byDigits = Map.groupBy(attempts, ({ last4 }) => last4);
  for (const group of byDigits.values()) group.sort((one, other) => one.started_at - other.started_at);
  return (line: InvoiceLine): Candidate[] => {
    if (line.time === null || line.last4 === null) return [];
    return (byDigits.get(byTime ? null : line.last4) ?? [])
      .filter((attempt) => line.reference === null || attempt.vendor_reference === null)
      .map((attempt) => candidateOf(line, attempt))
      .filter(({ distance }) => distance <= clockTolerance)
      .sort(byFit);
  };
}

/** Matches each line with one attempt at most, and the other way round. The best fit comes first. */
function pairUp(pairs: readonly (Match & Candidate)[]): Match[] {
  const taken = new Set<InvoiceLine | OwnAttempt>();
  return pairs.toSorted(byFit).flatMap(({ line, attempt }) => {
    if (taken.has(line) || taken.has(attempt)) return [];
    taken.add(line).add(attempt);
    return [{ line, attempt }];
  });
}

function candidateOf(line: InvoiceLine, attempt: OwnAttempt): Candidate {
  return { attempt, doubt: doubtOf(line, attempt), distance: distanceOf(line, attempt) };
}

const costsNothing = 2;

/**
 * Returns how doubtful the match is; a line gets the fitting attempt with the least doubt. 0: the vendor certainly
 * bills the attempt. 1: it may not bill the attempt. `costsNothing`: the line or the attempt is free, but not both.
 */
function doubtOf({ price }: InvoiceLine, attempt: OwnAttempt): number {
  if ((attempt.price === 0) !== (price === 0)) return costsNothing;
  return attempt.isBilled ? 0 : 1;
}

/** Milliseconds between a line and an attempt; 0 if the line has no time. */
function distanceOf({ time }: InvoiceLine, { started_at: began }: OwnAttempt): number {
  return time === null ? 0 : Math.max(time.from - began, began - time.to, 0);
}

function byFit(one: Candidate, other: Candidate): number {
  return one.doubt - other.doubt || one.distance - other.distance;
}
