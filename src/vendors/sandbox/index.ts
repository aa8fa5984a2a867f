import { checks } from "../../checks/index.ts";
import { checkKinds } from "../../declare/check-kind.ts";
import type { IdentityOutcome, IdentityUpstream } from "../ports/identity-upstream.ts";
import { negative, unknown } from "../ports/outcomes.ts";
import { type LateOutcome, reservedFor } from "./numbers.ts";

/**
 * The sandbox's reference of an unknown outcome encodes the later outcome. The ledger stores the reference, so every
 * instance can look the outcome up, even after a restart.
 */
const references = {
  verified: "sandbox-later-verified",
  not_found: "sandbox-later-not_found",
} as const satisfies Record<LateOutcome, string>;

/** Milliseconds, as the settings have them. */
interface Patience {
  upstream: { timeout: number };
  verificationTimeout: number;
}

/** A source of invented people, for test keys. It stores nothing and calls nobody, but waits as a vendor would. */
export function sandbox(
  patience: Patience = { upstream: { timeout: 15_000 }, verificationTimeout: 20_000 },
): IdentityUpstream {
  // A vendor's settings keep its time-out below the verification's. The sandbox has no settings, so we bound its
  // time-out here.
  const timeout = Math.min(patience.upstream.timeout, 0.75 * patience.verificationTimeout);
  return {
    name: "sandbox",
    kinds: checkKinds,
    repeatable: true,
    async verify({ kind, number, claims, vendorReference, signal }) {
      const { outcome, later, variant, delay = 0 } = reservedFor({ kind, number }) ?? {};
      const verified = async (): Promise<IdentityOutcome> => {
        return { state: "verified", record: await checks[kind].sandbox({ kind, number, claims }, variant) };
      };
      if (vendorReference === references.verified) return verified();
      if (vendorReference === references.not_found) return negative("not_found");
      if (outcome) return later ? { ...outcome, reference: references[later] } : outcome;
      if (delay === 0) return verified();
      if (!(await waited(Math.min(delay, timeout), signal))) return unknown;
      if (delay <= timeout) return verified();
      const response = waited(delay - timeout).then(verified);
      return { state: "unknown", reason: "timed_out", reference: references.verified, later: response };
    },
    async lookUp({ vendorReference }) {
      // As with other sources, only a retry returns the record.
      return vendorReference === references.not_found ? negative("not_found") : unknown;
    },
  };
}

/**
 * Resolves with true after `milliseconds`, with false when the signal aborts. Without a signal, the wait does not keep
 * the process alive.
 */
function waited(milliseconds: number, signal?: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, milliseconds, true);
  if (!signal) timer.unref();
  const abort = () => {
    clearTimeout(timer);
    resolve(false);
  };
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  return promise;
}
