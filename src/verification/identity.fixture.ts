import { randomBytes } from "node:crypto";
import { after, before, type mock, type TestContext } from "node:test";
import { type Engine, engines, type Fresh, type FreshSettings, usualEngines } from "../../test/support/engines.ts";
import { until } from "../../test/support/until.ts";
import { feesOf } from "../checks/kinds.fixture.ts";
import { answerWriter } from "../declare/answers/answer-writer.ts";
import { Failure } from "../declare/failures.ts";
import type { Answered, Caller, Operation } from "../declare/operation.ts";
import type { Keyring } from "../keyring/keyring.ts";
import type { IdentityLimits, IdentitySettings } from "../ledger/identity-settings.ts";
import { RecordedLog } from "../runtime/recorded-log.fixture.ts";
import { TimeZone } from "../runtime/time-zone.ts";
import type { StoreUsage } from "../storage/engine.ts";
import { Pulse } from "../storage/pulse/pulse.ts";
import { openStore, type Store } from "../storage/store.ts";
import type { Db } from "../storage/tables.ts";
import { sandbox } from "../vendors/sandbox/index.ts";
import { type Identity, type IdentityParts, openIdentity } from "./identity.ts";
import type { VerificationRequest } from "./request.ts";

export { engines, until, usualEngines };

export const usualLimits: IdentityLimits = {
  account: { count: 60, seconds: 60 },
  inFlight: 20,
  negatives: { count: 100, seconds: 3600 },
  subject: { count: 5, seconds: 3600 },
  subjectNegatives: { count: 10, seconds: 86_400 },
};

export const usualSettings: IdentitySettings = {
  fees: feesOf(10_000),
  amountPolicy: "record",
  phoneMatch: true,
  timeLimit: 20_000,
  recordRetention: 24 * 60 * 60 * 1000,
  negativeDetail: "full",
  walletUnlimited: 100_000_000,
  consentRequired: false,
  consentAttested: false,
  payTwice: false,
  timeZone: new TimeZone("Africa/Lagos"),
  limits: usualLimits,
};

export const keyring: Keyring = {
  hmac: [{ version: 1, key: randomBytes(32) }],
  records: [{ id: "r1", key: randomBytes(32) }],
  audit: randomBytes(32),
};

/** The parts of a service that a test may replace. */
export type Changes = Partial<Omit<IdentityParts, "settings">> & { settings?: Partial<IdentitySettings> };

type MockTimers = typeof mock.timers;

/** A store for the tests of one suite; each test has an account of its own. */
export interface SuiteStore {
  readonly db: Db;
  readonly usage: StoreUsage;
  /** The opened store, which a test can open once more like another process. */
  readonly opened: Store;
  readonly settings: FreshSettings;
  readonly log: RecordedLog;
  readonly connections: number;
  /** From now on the service waits for the store as briefly as in production. */
  serve(): Promise<void>;
  /**
   * Opens a service, which is stopped after the test. On SQLite this ends the running verifications of earlier
   * services.
   */
  open(t: TestContext, changes?: Changes): Promise<Identity>;
  /** Stops a service without waiting for its running verifications. */
  end(room: Identity): Promise<void>;
}

/**
 * Registers the hooks of a suite: one store on `engine`, closed and removed when the suite ends. With `timers`
 * time-outs are the suite's own from the start: a pool that mixes real ones with played ones would keep the process
 * alive.
 */
export function suiteStore(engine: Engine, timers?: MockTimers): SuiteStore {
  let fresh: Fresh;
  let opened: Store;
  const log = new RecordedLog();
  const stopping = new WeakMap<Identity, () => Promise<void>>();
  before(async () => {
    fresh = await engine.ready();
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
    get connections() {
      return opened.connections;
    },
    get usage() {
      return opened.usage;
    },
    get opened() {
      return opened;
    },
    get settings() {
      return fresh.settings;
    },
    log,
    serve: () => opened.serve(),
    async open(t, changes = {}) {
      log.lines.length = 0;
      const { db = opened.db, now = opened.now } = changes;
      const pulse = await Pulse.open({ store: { ...opened, db, now }, log });
      const room = await openIdentity({
        db,
        pulse,
        connections: opened.connections,
        keyring: { current: keyring },
        upstreams: { test: sandbox(), live: [] },
        log,
        audit: async () => {},
        ...changes,
        settings: { ...usualSettings, ...changes.settings },
      });
      const jobs = pulse.begin(room.jobs);
      stopping.set(room, async () => {
        await room.stop(0);
        await jobs.stop();
        await pulse.stop();
      });
      t.after(() => this.end(room));
      return room;
    },
    async end(room) {
      let isStopped = false;
      const stopped = stopping.get(room)!().finally(() => {
        isStopped = true;
      });
      // A stop waits twice, and in between for the statements that the store has in flight.
      await until(() => {
        timers?.tick(50);
        return isStopped;
      });
      await stopped;
    },
  };
}

let accounts = 0;

/** A request of a new account. */
export function newRequest(changes: Partial<VerificationRequest> = {}): VerificationRequest {
  accounts += 1;
  return {
    accountId: `acc_${String(accounts).padStart(4, "0")}`,
    keyId: "key_1",
    mode: "test",
    kind: "bvn",
    number: "22000000017",
    claims: { phone: "8000000017" },
    amount: 10_000,
    fees: {},
    answers: "full",
    requestId: `request-${accounts}`,
    terms: {},
    ...changes,
  };
}

/** The `Failure` in which a call ends. Throws if the call ends otherwise. */
export async function failureFrom(call: Promise<unknown>): Promise<Failure> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("The call did not fail");
}

/** Calls an operation like the HTTP server does, and checks its answer against its schema. */
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
    terms: {},
    ...given.caller,
  };
  const call = { input: given.input ?? {}, headers: given.headers ?? {}, caller, requestId: "r", address: "::1" };
  const result = await run!(call as never, identity);
  const { answer, headers } = "headers" in result ? (result as Answered<object>) : { answer: result, headers: {} };
  const text = answerWriter(schema)(answer);
  if (text !== JSON.stringify(answer)) throw new Error("The answer has other members, or in another order");
  return { answer: JSON.parse(text), headers };
}
