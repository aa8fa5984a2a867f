import type { IdentityUpstream } from "../../../upstreams/ports/identity-upstream.ts";
import { lastVendor, unresolvedAttempts } from "../../ledger/attempts.ts";
import type { Row } from "../../ledger/ledger.ts";

/**
 * Test keys only reach `test`, and live keys only `live`, in the operator's order. If `live` is empty, no live source
 * is set up.
 */
export interface Upstreams {
  test: IdentityUpstream;
  live: readonly IdentityUpstream[];
}

/**
 * The upstreams to try, in order. `lookUpFirst`: look up the earlier attempt at the first one, and make another only if
 * that did no work.
 */
export interface SelectedUpstreams {
  upstreams: readonly [IdentityUpstream, ...IdentityUpstream[]];
  lookUpFirst: boolean;
}

/**
 * Selects upstreams for a verification, in the order of its route: the ready ones if any is ready, else all. A row with
 * an unresolved attempt stays with that upstream while it is set up, because it may have done the work. Others follow
 * only if the operator accepts paying twice. A `repeatable` upstream gets the request again instead of a lookup.
 * Undefined if there are none.
 */
export function selectUpstreams(
  upstreams: readonly IdentityUpstream[],
  { payTwice }: { payTwice: boolean },
  row?: Pick<Row, "attempts">,
): SelectedUpstreams | undefined {
  const unresolved = row && unresolvedAttempts(row).at(-1);
  const earlier = upstreams.find(({ name }) => name === unresolved?.vendor);
  if (earlier) {
    const others = payTwice ? upstreams.filter((upstream) => upstream !== earlier) : [];
    return { upstreams: [earlier, ...others], lookUpFirst: earlier.lookUp !== undefined && !earlier.repeatable };
  }
  const ready = upstreams.filter((upstream) => upstream.isReady?.() !== false);
  const [first, ...others] = ready.length > 0 ? ready : upstreams;
  return first && { upstreams: [first, ...others], lookUpFirst: false };
}

/** How many attempts of one key may stay unknown or get a bad response. The operator may have to pay for each. */
const mostUseless = 3;

/**
 * Selects upstreams for a retry. Undefined once the row has used up its attempts. Exceptions are lookups of earlier
 * attempts, and the last upstream if it repeats its responses for free.
 */
export function upstreamsForRetry<Selected extends SelectedUpstreams>(
  selected: Selected,
  row: Pick<Row, "attempts">,
): Selected | undefined {
  const badAnswers = row.attempts.filter(({ reason }) => reason === "bad_response").length;
  const useless = badAnswers + (selected.lookUpFirst ? 0 : unresolvedAttempts(row).length);
  if (useless < mostUseless) return selected;
  const [source] = selected.upstreams;
  return source.repeatable && source.name === lastVendor(row) ? { ...selected, upstreams: [source] } : undefined;
}
