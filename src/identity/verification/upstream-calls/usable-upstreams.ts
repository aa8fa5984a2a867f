import type { IdentityAttempt, IdentityUpstream, UpstreamNeed } from "../../../upstreams/ports/identity-upstream.ts";
import { noFacts, verificationFailure } from "../verification-failures.ts";

type Given = Pick<IdentityAttempt, "kind" | "claims" | "consentReference">;

/**
 * The upstreams that offer a request's kind and need nothing that it lacks, in the same order. `consentAttested`: the operator
 * holds the consent for every call. Throws `consent_required` if a consent is all that every one of them lacks.
 */
export function usableUpstreams(
  all: readonly IdentityUpstream[],
  { kind, claims, consentReference }: Given,
  { consentAttested }: { consentAttested: boolean },
): IdentityUpstream[] {
  const brings: Record<UpstreamNeed, boolean> = {
    consent: consentAttested || consentReference !== undefined,
    names: claims.first_name !== undefined && claims.last_name !== undefined,
  };
  const lackOf = ({ needs = [] }: IdentityUpstream) => needs.filter((need) => !brings[need]);
  const offering = all.filter(({ kinds }) => kinds.includes(kind));
  const usable = offering.filter((upstream) => lackOf(upstream).length === 0);
  if (usable.length === 0 && offering.some((upstream) => lackOf(upstream).join() === "consent"))
    throw verificationFailure("consent_required", undefined, noFacts);
  return usable;
}
