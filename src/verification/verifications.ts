import { checks } from "../checks/index.ts";
import { Failure } from "../declare/failures.ts";
import type { InFlight } from "./in-flight.ts";
import { forgetRehearsed, refuseRehearsed } from "./rehearsal.ts";
import type { VerifiedRecord } from "./replay.ts";
import { requestContent, type VerificationRequest } from "./request.ts";
import type { Runs } from "./runs.ts";
import { type RunParts, Verification } from "./verification.ts";
import type { VerificationDependencies } from "./verification-dependencies.ts";

/** Accepts verifications and tracks those under way. */
export class Verifications {
  readonly #parts: RunParts;
  #stopping = false;

  constructor(parts: VerificationDependencies, runs: Runs, inFlight: InFlight) {
    this.#parts = { ...parts, runs, inFlight };
  }

  /** Returns the record or throws a `Failure`. A started verification is finished even if its caller disconnects. */
  async verify(request: VerificationRequest): Promise<VerifiedRecord> {
    if (this.#stopping) throw new Failure("shutting_down");
    const { consentRequired } = this.#parts.settings;
    if (consentRequired && request.mode === "live" && request.consentReference === undefined)
      throw new Failure("consent_required");
    refuseRehearsed(request);
    const verified = await this.#flightOf(request).answer.catch((error) => {
      this.#parts.refusedCalls.note(request, error);
      throw error;
    });
    forgetRehearsed(request, verified);
    return forAccount(verified, request);
  }

  /** Refuses new verifications. Resolves when those under way have their response. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#parts.inFlight.idle();
  }

  /** Equal requests without an idempotency key share one flight. */
  #flightOf(request: VerificationRequest) {
    const { inFlight } = this.#parts;
    const { accountId, mode, idempotencyKey } = request;
    if (idempotencyKey === undefined) {
      const content = JSON.stringify(requestContent(request));
      return inFlight.withContent(content) ?? this.#start(request, undefined, content);
    }
    return this.#start(request, JSON.stringify([accountId, mode, idempotencyKey]), undefined);
  }

  #start(request: VerificationRequest, key: string | undefined, content: string | undefined): Verification {
    const verification = new Verification(this.#parts, request, key, content);
    this.#parts.inFlight.add(verification);
    return verification;
  }
}

/**
 * Masks the record if the account's current setting requires it. The setting may have changed since the record was
 * sealed.
 */
function forAccount(verified: VerifiedRecord, { kind, answers }: VerificationRequest): VerifiedRecord {
  if (answers === "full") return verified;
  const { request_reference, ...record } = verified.record;
  return { ...verified, record: { request_reference, ...checks[kind].mask(record) } };
}
