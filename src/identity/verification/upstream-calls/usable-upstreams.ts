import type { IdentityAttempt, IdentityUpstream, UpstreamNeed } from "../../../upstreams/ports/identity-upstream.ts";
import type { IdentitySettings } from "../../identity-settings.ts";
import { noFacts, verificationFailure } from "../verification-failures.ts";

type Given = Pick<IdentityAttempt, "kind" | "claims" | "consentReference">;

/**
 * Why an upstream cannot take a request: it does not offer the kind, or needs something that the request lacks.
 * Undefined if it can. `consentAttested`: the operator holds the consent of every person.
 */
export function unfitFor(
  { kinds, needs = [] }: IdentityUpstream,
  { kind, claims, consentReference }: Given,
  { consentAttested }: Pick<IdentitySettings, "consentAttested">,
): "other_kind" | `needs_${UpstreamNeed}` | undefined {
  if (!kinds.includes(kind)) return "other_kind";
  const brings: Record<UpstreamNeed, boolean> = {
    consent: consentAttested || consentReference !== undefined,
    names: claims.first_name !== undefined && claims.last_name !== undefined,
  };
  // If both are missing, we report the names: a caller can add a consent, but no operation accepts names.
  const lacks = (["names", "consent"] as const).find((need) => needs.includes(need) && !brings[need]);
  return lacks && `needs_${lacks}`;
}

/**
 * The upstreams that can take a request, in the same order. Throws `consent_required` if there are none, and one of
 * them lacks only the consent.
 */
export function usableUpstreams(
  all: readonly IdentityUpstream[],
  request: Given,
  settings: Pick<IdentitySettings, "consentAttested">,
): IdentityUpstream[] {
  const unfit = all.map((upstream) => unfitFor(upstream, request, settings));
  const usable = all.filter((_, at) => unfit[at] === undefined);
  if (usable.length === 0 && unfit.includes("needs_consent"))
    throw verificationFailure("consent_required", undefined, noFacts);
  return usable;
}
