import type { IdentityUpstream } from "../../../upstreams/ports/identity-upstream.ts";
import { listedRoutes } from "../../identity-settings.ts";
import { isNotFound, unresolvedAttempts } from "../../ledger/attempts.ts";
import type { Row } from "../../ledger/ledger.ts";
import { type PassedOver, storedChoice } from "../../ledger/vendor-choice.ts";
import { shareOf } from "../../routes/learning-share.ts";
import type { VerificationRequest } from "../request.ts";
import { noFacts, noneOpen, verificationFailure } from "../verification-failures.ts";
import type { VerificationParts } from "../verification-parts.ts";
import { type SelectedUpstreams, selectUpstreams } from "./select-upstreams.ts";
import { unfitFor, usableUpstreams } from "./usable-upstreams.ts";

/** The upstreams of one run, and why each of them is asked. */
export interface AttemptPlan extends SelectedUpstreams {
  /** The reason as an attempt keeps it. `last`: who was asked before in this run. `skipped`: whom the run could not ask since. */
  whyThisVendor(asked: IdentityUpstream, last?: string, skipped?: readonly PassedOver[]): string | null;
}

/**
 * Plans the attempts of a request, or of a retry of `row`. `hash`: the stored one of its idempotency key. Throws `upstream_not_configured` if
 * no upstream can get it, `upstream_unavailable` if the operator paused all that can, or the one that must answer first, and
 * `consent_required`.
 */
export function planAttempts(
  { upstreams, settings, routes }: Pick<VerificationParts, "upstreams" | "settings" | "routes">,
  request: VerificationRequest,
  hash: string | null,
  row?: Row,
): AttemptPlan {
  const { mode, kind } = request;
  const { policy, shares } = settings.routes ?? listedRoutes;
  const order = mode === "live" ? routes.order(kind) : undefined;
  const placed = order?.upstreams ?? [upstreams.test];
  const learnsFrom = order && shareOf(hash, shares);
  const all =
    learnsFrom === undefined
      ? placed
      : placed.toSorted((a, b) => Number(b.name === learnsFrom) - Number(a.name === learnsFrom));

  const usable = usableUpstreams(all, request, settings);
  const open = stillOpen(order ? routes.open(usable, kind) : usable, row);
  // A row with an unresolved attempt stays with that vendor, paused or unfit by now: another one would be paid too.
  const unresolved = row && unresolvedAttempts(row).at(-1);
  const waitsFor = all.find(({ name, kinds }) => name === unresolved?.vendor && kinds.includes(kind));
  if (usable.length > 0 && (waitsFor ? !open.includes(waitsFor) : open.length === 0)) throw noneOpen(row);
  const selected = selectUpstreams(open, settings, row);
  if (!selected) throw verificationFailure("upstream_not_configured", undefined, noFacts);

  const whyNot = (upstream: IdentityUpstream) =>
    unfitFor(upstream, request, settings) ??
    (!open.includes(upstream) ? "paused" : upstream.isReady?.() === false ? "not_ready" : undefined);
  const because = (upstream: IdentityUpstream, usual: PassedOver["reason"]): PassedOver => ({
    vendor: upstream.name,
    reason: whyNot(upstream) ?? usual,
  });
  /** Those that would be asked before this one but for a share, or if vendors were asked as they are listed. */
  const behind = (asked: IdentityUpstream): PassedOver[] => {
    if (!order) return [];
    const { live } = upstreams;
    if (asked.name === learnsFrom) return placed.slice(0, placed.indexOf(asked)).map((one) => because(one, "share"));
    const at = all.indexOf(asked);
    const overtaken = live.slice(0, live.indexOf(asked)).filter((one) => all.indexOf(one) > at);
    return overtaken.map((one) => because(one, order.whyBehind(one.name)));
  };
  return {
    ...selected,
    whyThisVendor(asked, last, skipped = []) {
      if (asked === waitsFor) return null;
      const before = all.slice(all.findIndex(({ name }) => name === last) + 1, all.indexOf(asked));
      const passedOver = before.map(
        (one) => skipped.find(({ vendor }) => vendor === one.name) ?? because(one, "not_ready"),
      );
      if (last === undefined) passedOver.push(...behind(asked));
      return storedChoice({ policy: order ? policy : "listed", compared: order?.compared ?? [], passedOver });
    },
  };
}

/** After "not found" a retry goes on with the vendor that was asked next, and asks no other. */
function stillOpen(open: IdentityUpstream[], row: Row | undefined): IdentityUpstream[] {
  const attempts = row?.attempts ?? [];
  const at = attempts.findIndex(isNotFound);
  if (at < 0) return open;
  const next = attempts.slice(at + 1).at(-1)?.vendor;
  return open.filter(({ name }) => (next === undefined ? name !== attempts[at]!.vendor : name === next));
}
