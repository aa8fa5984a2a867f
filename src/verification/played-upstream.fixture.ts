import type { TestContext } from "node:test";
import type { CheckInput } from "../checks/check.ts";
import { personOf } from "../checks/kinds.fixture.ts";
import { checkKinds } from "../declare/check-kind.ts";
import type { PersonRecord } from "../declare/identity-record.ts";
import type { IdentityAttempt, IdentityOutcome, IdentityUpstream } from "../vendors/ports/identity-upstream.ts";
import { sandbox } from "../vendors/sandbox/index.ts";
import type { Changes, SuiteStore } from "./identity.fixture.ts";
import type { Identity } from "./identity.ts";

/** An upstream played by the test: each attempt waits for the test's answer. */
export class PlayedUpstream implements IdentityUpstream {
  readonly name = "played";
  readonly kinds = checkKinds;
  readonly received: IdentityAttempt[] = [];
  readonly #answers: ((outcome: IdentityOutcome | Error) => void)[] = [];
  readonly #arrivals: (() => void)[] = [];

  verify(attempt: IdentityAttempt): Promise<IdentityOutcome> {
    return new Promise((resolve, reject) => {
      this.#answers.push((outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome)));
      this.received.push(attempt);
      for (const arrived of this.#arrivals.splice(0)) arrived();
    });
  }

  /** Resolves to the attempt with this number, counted from 1, once that attempt has come. */
  async asked(count = 1): Promise<IdentityAttempt> {
    while (this.received.length < count) await new Promise<void>((resolve) => this.#arrivals.push(resolve));
    return this.received[count - 1]!;
  }

  /** Answers the n-th attempt, counted from 1. */
  answer(outcome: IdentityOutcome | Error, nth = 1): void {
    this.#answers[nth - 1]!(outcome);
  }
}

/** An upstream that answers at once, and the list of its attempts. */
export function answering(
  answer: (attempt: IdentityAttempt, nth: number) => IdentityOutcome | Promise<IdentityOutcome>,
) {
  const received: IdentityAttempt[] = [];
  const upstream: IdentityUpstream = {
    name: "answering",
    kinds: checkKinds,
    verify: async (attempt) => answer(attempt, received.push(attempt)),
  };
  return { upstream, received };
}

/**
 * Functions that open a service on the store for one test: with this upstream in test mode, or with one that answers at
 * once.
 */
export function openingsOn(store: SuiteStore) {
  const openWith = (t: TestContext, upstream: IdentityUpstream, changes: Changes = {}): Promise<Identity> =>
    store.open(t, { upstreams: { test: upstream, live: [] }, ...changes });
  return {
    openWith,
    async openAnswering(t: TestContext, answer: Parameters<typeof answering>[0], changes?: Changes) {
      const { upstream, received } = answering(answer);
      return { identity: await openWith(t, upstream, changes), received };
    },
  };
}

/** The sandbox's record of an invented person. */
export async function sandboxRecord(input: CheckInput): Promise<PersonRecord> {
  const outcome = await sandbox().verify({ ...input, reference: "", signal: new AbortController().signal });
  if (outcome.state !== "verified") throw new Error(`${input.number} is not verified in the sandbox`);
  return personOf(outcome.record);
}

export async function verified(attempt: CheckInput): Promise<IdentityOutcome> {
  return { state: "verified", record: await sandboxRecord(attempt) };
}
