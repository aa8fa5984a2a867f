import type { Mode } from "../declare/operation.ts";
import type { PublicState } from "../ledger/public-state.ts";
import type { IdentityOutcome } from "../vendors/ports/identity-upstream.ts";
import { badResponse, negative, unavailable, unknown } from "../vendors/ports/outcomes.ts";
import type { CountedRow } from "./ledger.fixture.ts";

export const outcomeKinds = [
  "verified",
  "not_found",
  "phone_mismatch",
  "unavailable",
  "not_reached",
  "bad_response",
  "unknown",
  "throws",
] as const;

export type Kind = (typeof outcomeKinds)[number];

export interface PlayedCall {
  does: "call";
  person: number;
  key: number | undefined;
  mode: Mode;
  hangsUp: boolean;
}

export interface Answer {
  does: "answer";
  /** Picks one of the attempts that are open. */
  nth: number;
  kind: Kind;
}

/** A step in the life of a service. A call does not wait for the end of the call before it. */
export type Step = PlayedCall | Answer | { does: "timeOut" } | { does: "kill" };

/** The response to a caller: a new record, the same record again, or a failure, which says whether a retry may help. */
export type Told = "record" | "record again" | `${string}, ${"retry" | "final"}`;

const toldOf: Record<Kind, Told> = {
  verified: "record",
  not_found: "bvn_not_found, final",
  phone_mismatch: "phone_mismatch, final",
  unavailable: "upstream_unavailable, retry",
  not_reached: "upstream_unavailable, retry",
  bad_response: "upstream_bad_response, retry",
  throws: "upstream_bad_response, retry",
  unknown: "upstream_timeout, retry",
};

/** The expected row of one verification, by the rules of charging. */
export interface Expected
  extends Pick<CountedRow, "state" | "mode" | "attempts" | "unresolved" | "bad_answers" | "charged"> {
  call: PlayedCall;
  /** The number of the attempt that is open at the upstream, counted from 1. */
  attempt?: number | undefined;
  /** Whether callers got the response that this attempt has no known outcome. */
  isTold?: boolean;
  /** The callers who wait for the outcome of the verification. */
  waiting: Waiting[];
}

export interface Waiting {
  told?: Told;
}

/**
 * The rules of charging. Only `verified` is charged, and once: when a caller waits for the outcome, or, for a late
 * outcome, when a retry gets the record. A caller that hung up before the response makes no difference.
 */
export class Rules {
  readonly verifications: Expected[] = [];
  #received = 0;

  get open(): Expected[] {
    return this.verifications.filter(({ attempt }) => attempt !== undefined);
  }

  call(call: PlayedCall): Waiting {
    const earlier = this.#earlier(call);
    if (!earlier) return this.#begin(call);
    const isRunning = earlier.state === "started";
    if (call.key === undefined) return waitFor(earlier);
    if (earlier.call.person !== call.person) return { told: "idempotency_key_reused, final" };
    if (isRunning) return { told: "request_in_progress, retry" };
    if (earlier.state === "verified") {
      const isLeader = earlier.charged === 0;
      earlier.charged = 1;
      return { told: isLeader ? "record" : "record again" };
    }
    if (earlier.state === "not_found" || earlier.state === "phone_mismatch") return { told: toldOf[earlier.state] };
    if (earlier.attempt === undefined) {
      if (earlier.unresolved + earlier.bad_answers > 2)
        return { told: earlier.unresolved > 0 ? "upstream_timeout, final" : "upstream_bad_response, final" };
      earlier.attempt = ++this.#received;
      earlier.attempts += 1;
      earlier.isTold = false;
    } else earlier.unresolved -= 1;
    earlier.state = "started";
    return waitFor(earlier);
  }

  answer(verification: Expected, kind: Kind): void {
    const { state, waiting } = verification;
    verification.attempt = undefined;
    verification.waiting = [];
    for (const one of waiting) one.told = toldOf[kind];
    const isFailure = ["bad_response", "throws", "unavailable", "not_reached"].includes(kind);
    const fail = () => {
      verification.state = "failed";
      if (kind === "bad_response" || kind === "throws") verification.bad_answers += 1;
      // Callers got a response about an attempt that timed out, so it stays, as an attempt without work.
      if (kind === "not_reached" && !verification.isTold) verification.attempts -= 1;
    };
    if (state === "started") {
      if (isFailure) {
        fail();
        if (verification.unresolved > 0) {
          verification.state = "unknown";
          for (const one of waiting) one.told = "upstream_timeout, retry";
        }
      } else verification.state = kind as PublicState;
      if (kind === "verified") verification.charged = 1;
      if (kind === "unknown") verification.unresolved += 1;
    } else if (isFailure) {
      // A late report of no work settles the verification if no other attempt is unresolved.
      verification.unresolved -= 1;
      const settled = verification.unresolved === 0 ? "failed" : verification.state;
      fail();
      verification.state = settled;
    } else if (kind !== "unknown") {
      verification.state = kind as PublicState;
      verification.unresolved -= 1;
    }
  }

  timeOut(): void {
    for (const verification of this.#running()) {
      verification.state = "unknown";
      verification.isTold = true;
      verification.unresolved += 1;
      for (const one of verification.waiting.splice(0)) one.told = "upstream_timeout, retry";
    }
  }

  kill(): void {
    for (const verification of this.#running())
      Object.assign(verification, { state: "unknown", waiting: [] }).unresolved += 1;
    for (const verification of this.verifications) verification.attempt = undefined;
  }

  #running(): Expected[] {
    return this.verifications.filter(({ state }) => state === "started");
  }

  #earlier({ person, key, mode }: PlayedCall): Expected | undefined {
    return this.verifications.find(
      ({ call, state }) =>
        call.mode === mode &&
        call.key === key &&
        (key !== undefined || (call.person === person && state === "started")),
    );
  }

  #begin(call: PlayedCall): Waiting {
    const begun: Expected = {
      call,
      mode: call.mode,
      state: "started",
      attempts: 1,
      unresolved: 0,
      bad_answers: 0,
      charged: 0,
      attempt: ++this.#received,
      waiting: [],
    };
    this.verifications.push(begun);
    return waitFor(begun);
  }
}

function waitFor(verification: Expected): Waiting {
  const waiting: Waiting = {};
  verification.waiting.push(waiting);
  return waiting;
}

export const ruled = ({
  state,
  mode,
  attempts,
  unresolved,
  bad_answers,
  charged,
}: Omit<Expected, "call" | "waiting">) => ({
  state,
  mode,
  attempts,
  unresolved,
  bad_answers,
  charged,
});

export function outcomeOf(kind: Exclude<Kind, "verified">): IdentityOutcome | Error {
  if (kind === "throws") return new Error("played");
  if (kind === "not_found" || kind === "phone_mismatch") return negative(kind);
  if (kind === "unknown") return unknown;
  return kind === "bad_response" ? badResponse("shape") : unavailable(kind === "unavailable" ? "out_of_service" : kind);
}
