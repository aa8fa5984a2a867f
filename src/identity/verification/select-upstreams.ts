import type { CheckKind } from "../../operation/check-kind.ts";
import { type IdentityUpstream, kindsOf } from "../../upstreams/ports/identity-upstream.ts";
import type { Row } from "../ledger/ledger.ts";

/** Test keys reach `test` only and live keys `live` only, in the operator's order; empty: no live source is set up. */
export interface Upstreams {
  test: IdentityUpstream;
  live: readonly IdentityUpstream[];
}

/** The upstreams to call, in order. `lookUpFirst`: ask the first about the earlier call, and call it only if that did no work. */
export interface SelectedUpstreams {
  upstreams: readonly [IdentityUpstream, ...IdentityUpstream[]];
  lookUpFirst: boolean;
}

/**
 * Whom a verification asks: the upstreams that offer its kind, in the operator's order, those that take no questions now
 * left out while others do. A row with an attempt nobody knows the outcome of stays with the upstream that may have done
 * the work, as long as that is set up, unless the operator accepts to pay twice; one that repeats its answers is asked
 * again rather than asked what became of them. Undefined if none that offers the kind is set up.
 */
export function selectUpstreams(
  all: readonly IdentityUpstream[],
  kind: CheckKind,
  { payTwice }: { payTwice: boolean },
  row?: Pick<Row, "upstream" | "unresolved">,
): SelectedUpstreams | undefined {
  const upstreams = all.filter((upstream) => kindsOf(upstream).includes(kind));
  const earlier = row && row.unresolved > 0 ? upstreams.find(({ name }) => name === row.upstream) : undefined;
  if (earlier) {
    const others = payTwice ? upstreams.filter((upstream) => upstream !== earlier) : [];
    return { upstreams: [earlier, ...others], lookUpFirst: earlier.lookUp !== undefined && !earlier.repeatable };
  }
  const ready = upstreams.filter((upstream) => upstream.isReady?.() !== false);
  const [first, ...others] = ready.length > 0 ? ready : upstreams;
  return first && { upstreams: [first, ...others], lookUpFirst: false };
}

/** How many attempts of one key may stay unknown or get a bad answer: the operator may have to pay for each. */
const mostUseless = 3;

/**
 * Whom a retry of a row asks, out of the row's selected. When the row has used its attempts that is nobody (undefined), but for
 * a source that repeats its answers for free and was asked last, and one that only tells what became of earlier questions.
 */
export function upstreamsForRetry(
  selected: SelectedUpstreams,
  row: Pick<Row, "upstream" | "unresolved" | "bad_answers">,
): SelectedUpstreams | undefined {
  const useless = row.bad_answers + (selected.lookUpFirst ? 0 : row.unresolved);
  if (useless < mostUseless) return selected;
  const [source] = selected.upstreams;
  return source.repeatable && source.name === row.upstream ? { ...selected, upstreams: [source] } : undefined;
}
