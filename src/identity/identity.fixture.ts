import { randomBytes } from "node:crypto";
import { after, before, type mock, type TestContext } from "node:test";
import type { Kysely, TableNode } from "kysely";
import { type Engine, engines, type Fresh, type FreshSettings } from "../../test/support/engines.ts";
import { RecordedLog } from "../runtime/recorded-log.fixture.ts";

export { until } from "../../test/support/until.ts";

import type { Keyring } from "../keyring/keyring.ts";
import { answerWriter } from "../operation/answer-writer.ts";
import { Failure } from "../operation/failures.ts";
import type { Answered, Caller, Operation } from "../operation/operation.ts";
import { openStore, type Store } from "../storage/store.ts";
import type { Tables } from "../storage/tables.ts";
import type {
  AskedPerson,
  IdentityAnswer,
  IdentityOutcome,
  IdentityQuestion,
  IdentityUpstream,
} from "../upstreams/ports/identity-upstream.ts";
import { sandbox } from "../upstreams/sandbox/index.ts";
import { type Identity, type IdentityParts, openIdentity } from "./identity.ts";
import type { Row } from "./ledger/ledger.ts";
import type { IdentityLimits, IdentitySettings } from "./settings.ts";
import type { VerificationRequest } from "./verification/request.ts";

export { engines };

export const usualLimits: IdentityLimits = {
  account: { count: 60, seconds: 60 },
  inFlight: 20,
  negatives: { count: 100, seconds: 3600 },
  subject: { count: 5, seconds: 3600 },
  subjectNegatives: { count: 10, seconds: 86_400 },
};

export const settings: IdentitySettings = {
  fees: { bvn: 10_000, nin: 10_000 },
  amountPolicy: "record",
  phoneMatch: true,
  timeLimit: 20_000,
  recordRetention: 24 * 60 * 60 * 1000,
  negativeDetail: "full",
  consentRequired: false,
  payTwice: false,
  limits: usualLimits,
};

export const keyring: Keyring = {
  hmac: [{ version: 1, key: randomBytes(32) }],
  records: [{ id: "r1", key: randomBytes(32) }],
  audit: randomBytes(32),
};

/** What a test may change of a room. */
export type Changes = Partial<Omit<IdentityParts, "settings">> & { settings?: Partial<IdentitySettings> };

type MockTimers = typeof mock.timers;

/** A store for the tests of one suite; each test has an account of its own. */
export interface SuiteStore {
  readonly db: Kysely<Tables>;
  /** To open it once more, as another process does. */
  readonly settings: FreshSettings;
  readonly log: RecordedLog;
  /** From here on the store is waited for as briefly as in a service. */
  serve(): Promise<void>;
  /** Opens a room; it is stopped after the test. On SQLite this ends what earlier rooms have running. */
  open(t: TestContext, changes?: Changes): Promise<Identity>;
  /** Stops a room without waiting for what it has running. */
  end(room: Identity): Promise<void>;
}

/**
 * Registers the hooks of a suite: one store on `engine`, closed and removed when the suite ends. With `timers` time-outs
 * are the suite's own from the start: a pool that mixes real ones with played ones would keep the process alive.
 */
export function suiteStore(engine: Engine, timers?: MockTimers): SuiteStore {
  let fresh: Fresh;
  let opened: Store;
  const log = new RecordedLog();
  before(async () => {
    fresh = await engine.fresh();
    timers?.enable({ apis: ["setTimeout"] });
    opened = await openStore({ ...fresh.settings, serving: true, starting: true });
  });
  after(async () => {
    await opened.close();
    timers?.reset();
    await fresh.dispose();
  });
  return {
    get db() {
      return opened.db;
    },
    get settings() {
      return fresh.settings;
    },
    log,
    serve: () => opened.serve(),
    async open(t, changes = {}) {
      log.lines.length = 0;
      const room = await openIdentity({
        db: opened.db,
        engine: opened.engine,
        keyring: { current: keyring },
        upstreams: { test: sandbox(), live: [] },
        log,
        audit: async () => {},
        ...changes,
        settings: { ...settings, ...changes.settings },
      });
      t.after(() => this.end(room));
      return room;
    },
    async end(room) {
      const stopped = room.stop(0);
      for (const _ of [1, 2]) {
        timers?.tick(500);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await stopped;
    },
  };
}

let accounts = 0;

/** A request of an account that nobody else uses. */
export function newRequest(changes: Partial<VerificationRequest> = {}): VerificationRequest {
  accounts += 1;
  return {
    accountId: `acc_${accounts}`,
    keyId: "key_1",
    mode: "test",
    kind: "bvn",
    number: "22000000017",
    phone: "8000000017",
    amount: 10_000,
    fees: {},
    answers: "full",
    ...changes,
  };
}

/** An upstream that the test plays: each question waits until the test answers it. */
export class PlayedUpstream implements IdentityUpstream {
  readonly name = "played";
  readonly questions: IdentityQuestion[] = [];
  readonly #answers: ((outcome: IdentityOutcome | Error) => void)[] = [];
  readonly #arrivals: (() => void)[] = [];

  verify(question: IdentityQuestion): Promise<IdentityOutcome> {
    return new Promise((resolve, reject) => {
      this.#answers.push((outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome)));
      this.questions.push(question);
      for (const arrived of this.#arrivals.splice(0)) arrived();
    });
  }

  /** Resolves when so many questions have come. */
  async asked(count = 1): Promise<IdentityQuestion> {
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
  answer: (question: IdentityQuestion, nth: number) => IdentityOutcome | Promise<IdentityOutcome>,
) {
  const questions: IdentityQuestion[] = [];
  const upstream: IdentityUpstream = {
    name: "answering",
    verify: async (question) => answer(question, questions.push(question)),
  };
  return { upstream, questions };
}

/** A record of an invented person, as the sandbox gives it. */
export async function recordOf({ kind, number, phone }: AskedPerson): Promise<IdentityAnswer> {
  const outcome = await sandbox().verify({ kind, number, phone, reference: "", signal: new AbortController().signal });
  if (outcome.kind !== "verified") throw new Error(`${number} is not verified in the sandbox`);
  return outcome.record;
}

export async function verified(question: AskedPerson): Promise<IdentityOutcome> {
  return { kind: "verified", record: await recordOf(question) };
}

/** The failure that a call ends in, as `status code` and its detail. */
export async function failureOf(call: Promise<unknown>): Promise<Failure> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("The call did not fail");
}

/** The ledger's rows of a request's account, oldest first. */
export async function rowsOf(
  db: Kysely<Tables>,
  { accountId }: Pick<VerificationRequest, "accountId">,
): Promise<Row[]> {
  const rows = await db
    .selectFrom("verification")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("created_at")
    .orderBy("reference")
    .execute();
  return rows as Row[];
}

export async function onlyRowOf(db: Kysely<Tables>, account: Pick<VerificationRequest, "accountId">): Promise<Row> {
  const [row, ...more] = await rowsOf(db, account);
  if (!row || more.length > 0) throw new Error(`There are ${row ? more.length + 1 : 0} rows`);
  return row;
}

/** The wrapped keys of all held records, by reference. */
export async function wrappedKeys(db: Kysely<Tables>): Promise<Map<string, string>> {
  const rows = await db.selectFrom("record_key").selectAll().execute();
  return new Map(rows.map(({ reference, sealed_key }) => [reference, sealed_key]));
}

/** Puts another wrapped key in the place of a record's own. */
export async function replaceWrappedKey(db: Kysely<Tables>, reference: string, sealed_key: string): Promise<void> {
  await db.updateTable("record_key").set({ sealed_key }).where("reference", "=", reference).execute();
}

/** Runs `work` while the ledger can neither be read nor written. */
export async function withoutLedger<Value>(db: Kysely<Tables>, work: () => Promise<Value>): Promise<Value> {
  await db.schema.alterTable("verification").renameTo("verification_away").execute();
  try {
    return await work();
  } finally {
    await db.schema.alterTable("verification_away").renameTo("verification").execute();
  }
}

/** A handle on `db`, and when nothing that it does to the ledger is under way, nor about to be. */
export function quietly(db: Kysely<Tables>): { db: Kysely<Tables>; quiet(): Promise<void> } {
  const running = new Set<unknown>();
  const watched = db.withPlugin({
    transformQuery({ node, queryId }) {
      // An outcome may be a part of another statement, which passes `executeQuery` below.
      if (node.kind === "UpdateQueryNode" && node.returning?.selections.length === 2) return node;
      const { into, table, from } = node as { into?: unknown; table?: unknown; from?: { froms: unknown[] } };
      const of = (into ?? table ?? from?.froms[0]) as TableNode | undefined;
      const name = of?.table.identifier.name;
      // A key is written along with its record, and read by itself.
      if (name === "verification" || (name === "record_key" && from !== undefined)) running.add(queryId);
      return node;
    },
    async transformResult({ result, queryId }) {
      running.delete(queryId);
      return result;
    },
  });
  const execute = watched.executeQuery;
  // A prepared query passes the plugin when it is written only.
  watched.executeQuery = (query, options) => {
    const work = execute.call(watched, query, options) as ReturnType<typeof watched.executeQuery<never>>;
    const over = () => running.delete(work);
    running.add(work);
    work.then(over, over);
    return work;
  };
  return {
    db: watched,
    async quiet() {
      for (let turns = 0; turns < 3; turns = running.size === 0 ? turns + 1 : 0)
        await new Promise<void>((resolve) => setImmediate(resolve));
    },
  };
}

/** Calls an operation the way the HTTP floor does, and holds what it answers against its schema. */
export async function callOf(
  { run, answer: schema }: Operation<Identity>,
  identity: Identity,
  given: { input?: Record<string, string>; headers?: Record<string, string>; caller?: Partial<Caller> },
): Promise<Answered<Record<string, unknown>>> {
  const caller: Caller = {
    accountId: "acc",
    keyId: "key",
    mode: "test",
    scopes: ["identity:verify"],
    fees: {},
    answers: "full",
    ...given.caller,
  };
  const call = { input: given.input ?? {}, headers: given.headers ?? {}, caller, requestId: "r", address: "::1" };
  const result = await run!(call as never, identity);
  const { answer, headers } = "headers" in result ? (result as Answered<object>) : { answer: result, headers: {} };
  const text = answerWriter(schema)(answer);
  if (text !== JSON.stringify(answer)) throw new Error("The answer has other members, or in another order");
  return { answer: JSON.parse(text), headers };
}
