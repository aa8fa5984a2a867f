import type { TestContext } from "node:test";
import { checkKinds } from "../operation/check-kind.ts";
import type {
  CheckInput,
  IdentityAttempt,
  IdentityOutcome,
  IdentityUpstream,
  PersonRecord,
} from "../upstreams/ports/identity-upstream.ts";
import { sandbox } from "../upstreams/sandbox/index.ts";
import type { Changes, SuiteStore } from "./identity.fixture.ts";
import type { Identity } from "./identity.ts";

/** An upstream that the test plays: each question waits until the test answers it. */
export class PlayedUpstream implements IdentityUpstream {
  readonly name = "played";
  readonly kinds = checkKinds;
  readonly questions: IdentityAttempt[] = [];
  readonly #answers: ((outcome: IdentityOutcome | Error) => void)[] = [];
  readonly #arrivals: (() => void)[] = [];

  verify(question: IdentityAttempt): Promise<IdentityOutcome> {
    return new Promise((resolve, reject) => {
      this.#answers.push((outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome)));
      this.questions.push(question);
      for (const arrived of this.#arrivals.splice(0)) arrived();
    });
  }

  /** Resolves when so many questions have come. */
  async asked(count = 1): Promise<IdentityAttempt> {
    while (this.questions.length < count) await new Promise<void>((resolve) => this.#arrivals.push(resolve));
    return this.questions[count - 1]!;
  }

  /** Answers the n-th question, counted from 1. */
  answer(outcome: IdentityOutcome | Error, nth = 1): void {
    this.#answers[nth - 1]!(outcome);
  }
}

/** An upstream that answers at once, and what it was asked. */
export function answering(
  answer: (question: IdentityAttempt, nth: number) => IdentityOutcome | Promise<IdentityOutcome>,
) {
  const questions: IdentityAttempt[] = [];
  const upstream: IdentityUpstream = {
    name: "answering",
    kinds: checkKinds,
    verify: async (question) => answer(question, questions.push(question)),
  };
  return { upstream, questions };
}

/** Ways to open a room on the store for one test: with this upstream in test mode, or with one that answers at once. */
export function openingsOn(store: SuiteStore) {
  const openWith = (t: TestContext, upstream: IdentityUpstream, changes: Changes = {}): Promise<Identity> =>
    store.open(t, { upstreams: { test: upstream, live: [] }, ...changes });
  return {
    openWith,
    async openAnswering(t: TestContext, answer: Parameters<typeof answering>[0], changes?: Changes) {
      const { upstream, questions } = answering(answer);
      return { identity: await openWith(t, upstream, changes), questions };
    },
  };
}

/** A record of an invented person, as the sandbox has it. */
export async function sandboxRecord(input: CheckInput): Promise<PersonRecord> {
  const outcome = await sandbox().verify({ ...input, reference: "", signal: new AbortController().signal });
  if (outcome.kind !== "verified") throw new Error(`${input.number} is not verified in the sandbox`);
  return outcome.record;
}

export async function verified(question: CheckInput): Promise<IdentityOutcome> {
  return { kind: "verified", record: await sandboxRecord(question) };
}
