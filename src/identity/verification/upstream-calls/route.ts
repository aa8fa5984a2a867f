import { unresolvedAttempts } from "../../ledger/attempts.ts";
import type { Row } from "../../ledger/ledger.ts";
import { type PassedOver, storedPassedOver } from "../../ledger/passed-over.ts";
import type { VerificationRequest } from "../request.ts";
import { noFacts, noneOpen, verificationFailure } from "../verification-failures.ts";
import type { VerificationParts } from "../verification-parts.ts";
import { type SelectedUpstreams, selectUpstreams } from "./select-upstreams.ts";
import { unfitFor, usableUpstreams } from "./usable-upstreams.ts";

/** The upstreams of one run. `why`: those that were passed over before the first, as an attempt keeps them. */
export interface Route {
  selected: SelectedUpstreams;
  why: string | null;
}

/**
 * The route of a request, or of a retry of `row`. Throws `upstream_not_configured` if no upstream can get it,
 * `upstream_unavailable` if the operator paused all that can, or the one that must answer first, and `consent_required`.
 */
export function routeOf(
  { upstreams, settings, routes }: Pick<VerificationParts, "upstreams" | "settings" | "routes">,
  request: VerificationRequest,
  row?: Row,
): Route {
  const { mode, kind } = request;
  const all = mode === "test" ? [upstreams.test] : upstreams.live;
  const usable = usableUpstreams(all, request, settings);
  const open = mode === "test" ? usable : routes.open(usable, kind);
  // A row with an unresolved attempt stays with that vendor, paused or unfit by now: another one would be paid too.
  const unresolved = row && unresolvedAttempts(row).at(-1);
  const waitsFor = all.find(({ name, kinds }) => name === unresolved?.vendor && kinds.includes(kind));
  if (usable.length > 0 && (waitsFor ? !open.includes(waitsFor) : open.length === 0)) throw noneOpen(row);
  const selected = selectUpstreams(open, settings, row);
  if (!selected) throw verificationFailure("upstream_not_configured", undefined, noFacts);
  if (waitsFor) return { selected, why: null };
  const before = all.slice(0, all.indexOf(selected.upstreams[0]));
  const why = before.map(
    (upstream): PassedOver => ({
      vendor: upstream.name,
      reason: unfitFor(upstream, request, settings) ?? (open.includes(upstream) ? "not_ready" : "paused"),
    }),
  );
  return { selected, why: storedPassedOver(why) };
}
