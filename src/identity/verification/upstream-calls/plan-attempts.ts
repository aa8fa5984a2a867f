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

/** The upstreams of one run, and the reason for each. */
export interface AttemptPlan extends SelectedUpstreams {
  /**
   * The reason as an attempt stores it. `last`: the vendor of the previous attempt in this run. `skipped`: vendors that
   * the run could not use since.
   */
  whyThisVendor(asked: IdentityUpstream, last?: string, skipped?: readonly PassedOver[]): string | null;
}

/**
 * Plans the attempts of a request, or of a retry of `row`. `hash`: keyed hash of the idempotency key, as stored. Throws
 * `upstream_not_configured` if no upstream can take the request, `upstream_unavailable` if the operator has paused all
 * that can or the one that must respond first, and `consent_required`.
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
  // A row with an unresolved attempt stays with that vendor, even if it is paused or unfit by now, because another
  // vendor would bill too.
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
  /** The vendors that would come before this one without its share, or in the listed order. */
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

/** After "not found", a retry continues with the vendor that was tried next, and with no other. */
function stillOpen(open: IdentityUpstream[], row: Row | undefined): IdentityUpstream[] {
  const attempts = row?.attempts ?? [];
  const at = attempts.findIndex(isNotFound);
  if (at < 0) return open;
  const next = attempts.slice(at + 1).at(-1)?.vendor;
  return open.filter(({ name }) => (next === undefined ? name !== attempts[at]!.vendor : name === next));
}
