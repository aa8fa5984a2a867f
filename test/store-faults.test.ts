import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { sql } from "kysely";
import { recorded } from "../src/access/access.fixture.ts";
import { createKey } from "../src/access/keys/keys.ts";
import { type Attempt, withAttempts } from "../src/ledger/attempts.ts";
import type { VerificationRow } from "../src/storage/tables.ts";
import { assertFailure } from "./support/failure.ts";
import { ask, type ServiceResponse, sandboxKey } from "./support/service.ts";
import { type Fault, faults, outage, type Stage } from "./support/store-faults.ts";
import { until } from "./support/until.ts";
import { startVendor, type VendorProcess } from "./support/vendor.ts";

const verifyPath = "/api/v2/kyc/verify-bvn";

/** Milliseconds, long enough that the store can be made to fail during a request to the source. */
const timeLimit = 6000;

/** The response, which must come within `most` milliseconds. A busy machine gets four seconds more. */
async function quick(response: Promise<ServiceResponse>, most = 1000): Promise<ServiceResponse> {
  const asked = performance.now();
  const given = await response;
  const milliseconds = performance.now() - asked;
  assert.ok(milliseconds < most + 4000, `it took ${Math.round(milliseconds)} ms: ${given.text.slice(0, 200)}`);
  return given;
}

/** A service with a live key, whose identity source holds every response until it is released. */
class Played {
  readonly vendor: VendorProcess;
  readonly stage: Stage;
  readonly key: string;

  private constructor(vendor: VendorProcess, stage: Stage, key: string) {
    this.vendor = vendor;
    this.stage = stage;
    this.key = key;
  }

  /**
   * Verifies `bvn`, which no other test may use meanwhile. The service then has both the credential and the source in
   * memory.
   */
  static async open(vendor: VendorProcess, fault: Fault, bvn: string): Promise<Played> {
    const stage = await fault.open({
      DUBA_BOOTSTRAP_KEY: sandboxKey,
      DUBA_LIMITS: "off",
      DUBA_VERIFICATION_TIMEOUT: `${timeLimit}ms`,
      DUBA_UPSTREAM_TIMEOUT: `${timeLimit - 500}ms`,
      ...vendor.environment,
    });
    try {
      const key = { account: "sandbox@example.com", mode: "live" as const, label: "" };
      const { text } = await createKey(recorded(stage.direct.db), key);
      const played = new Played(vendor, stage, text);
      assert.equal((await played.verified(bvn)).status, 200);
      return played;
    } catch (error) {
      await stage.close();
      throw error;
    }
  }

  get(path: string, credential: string | false = this.key): Promise<ServiceResponse> {
    return ask(this.stage.port, path, { credential });
  }

  verify(bvn: string, idempotencyKey?: string): Promise<ServiceResponse> {
    return ask(this.stage.port, verifyPath, {
      method: "POST",
      credential: this.key,
      headers: idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey },
      body: { bvn, phone: "08000000017", amount: "100" },
    });
  }

  /** The response to a verification whose source answers at once. */
  async verified(bvn: string, idempotencyKey?: string): Promise<ServiceResponse> {
    const before = await this.timesAsked(bvn);
    const call = this.verify(bvn, idempotencyKey);
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    call.then(over, over);
    await until(async () => isOver || (await this.timesAsked(bvn)) > before);
    this.vendor.release(bvn);
    return await call;
  }

  /** The number of requests to the source about a BVN since its start. */
  async timesAsked(bvn: string): Promise<number> {
    return (await this.vendor.calls()).filter((call) => call.number === bvn).length;
  }

  async isReady(): Promise<boolean> {
    return (await quick(this.get("/readyz", false))).status === 200;
  }

  /** The service checks the store at most once a second, so the first response may be from before the fault. */
  async assertNotReady(): Promise<void> {
    await until(async () => !(await this.isReady()));
  }

  rows(): Promise<VerificationRow[]> {
    return this.stage.direct.db.selectFrom("verification").selectAll().where("mode", "=", "live").execute();
  }

  async rowOf(reference: string): Promise<VerificationRow & { attempts: Attempt[] }> {
    const row = (await this.rows()).find((row) => row.reference === reference)!;
    return (await withAttempts(this.stage.direct.db, [row]))[0]!;
  }

  /** Runs `work` while the store fails. Resolves when the service has noticed that the store works again. */
  async whileFailing(work: () => Promise<void>): Promise<void> {
    await this.stage.begin();
    try {
      await work();
    } finally {
      await this.stage.end();
    }
    await until(() => this.isReady());
  }
}

async function refuses(played: Played, keyed: string, keyless: string): Promise<void> {
  await played.whileFailing(async () => {
    const [refused, other, ledger, alive, open, closed] = (await Promise.all(
      [
        played.verify(keyed, "before"),
        played.verify(keyless),
        played.get("/api/v2/kyc/verifications?idempotency_key=before"),
        played.get("/healthz", false),
        played.get("/api/v2/internet/data/lookup?provider=MTNDATA", false),
        played.get("/api/v2/corporate-data/list"),
      ].map((response) => quick(response)),
    )) as [ServiceResponse, ServiceResponse, ServiceResponse, ServiceResponse, ServiceResponse, ServiceResponse];
    for (const response of [refused, other]) {
      const { error } = assertFailure(response, 500, "internal_error", { path: verifyPath, message: /\bstore\b/ });
      const { charged, upstream_called, request_reference, retryable } = error;
      assert.deepEqual([charged, upstream_called, request_reference, retryable], [false, false, null, true]);
      assert.match(response.headers["retry-after"] ?? "", /^[1-5]$/);
    }
    assert.deepEqual(
      [alive, open, closed].map(({ status }) => status),
      [200, 200, 200],
    );
    assert.ok([404, 500].includes(ledger.status), ledger.text);
    await played.assertNotReady();
  });
  assert.deepEqual([await played.timesAsked(keyed), await played.timesAsked(keyless)], [0, 0]);

  const { status, json, text } = await played.verified(keyed, "before");
  assert.equal(status, 200, text);
  const { charged, state } = await played.rowOf(json.data.request_reference);
  assert.deepEqual([charged, state, await played.timesAsked(keyed)], [1, "verified", 1]);
  // Ends a row that was written although its caller got a failure: no vendor was asked for that row.
  await until(async () => (await played.rows()).every((row) => row.state !== "started"));
  const others = (await played.rows()).filter((row) => row.state !== "verified");
  assert.ok(others.every((row) => row.state === "failed" && row.charged === 0));
  assert.equal(await played.timesAsked(keyless), 0);
}

async function holdsBack(played: Played, bvn: string): Promise<void> {
  const call = played.verify(bvn, "between");
  await until(async () => (await played.timesAsked(bvn)) === 1);
  let reference = "";
  await played.whileFailing(async () => {
    played.vendor.release(bvn);
    // The source's work may have to be paid, so only this write is waited for as long as the caller's time allows.
    const refused = await quick(call, timeLimit);
    const { error } = assertFailure(refused, 500, "internal_error", { path: verifyPath, message: /held back/ });
    assert.deepEqual([error.charged, error.upstream_called, error.retryable], [false, true, true]);
    reference = error.request_reference;
    const retry = await quick(played.verify(bvn, "between"));
    assert.ok([409, 500].includes(retry.status), retry.text);
    await played.assertNotReady();
  });
  const path = `/api/v2/kyc/verifications/${reference}`;
  await until(async () => {
    const { data } = (await played.get(path)).json;
    return data?.state === "verified" && !data.charged;
  });
  let given: ServiceResponse;
  await until(async () => {
    given = await played.verified(bvn, "between");
    return given.status !== 409;
  });
  assert.deepEqual([given!.status, given!.json.data?.request_reference], [200, reference], given!.text);
  const { charged, attempts } = await played.rowOf(reference);
  assert.deepEqual([charged, attempts.length, await played.timesAsked(bvn)], [1, 1, 1]);
}

const lookUps = ["/api/v2/internet/data/lookup?provider=MTNDATA", "/api/v2/cable-tv/fetch-providers"];

/** Whether the leases of all processes have ended, as another process would see them. */
async function isLeaseOver({ stage }: Played): Promise<boolean> {
  const now = sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;
  const living = stage.direct.db.selectFrom("verification_owner").select("id").where("expires_at", ">", now);
  return (await living.execute()).length === 0;
}

async function outlives(played: Played, bvn: string): Promise<void> {
  await played.whileFailing(() =>
    until(async () => {
      for (const path of lookUps) assert.equal((await quick(played.get(path, false))).status, 200);
      assert.equal((await quick(played.get("/api/v2/corporate-data/list"))).status, 200);
      return await isLeaseOver(played);
    }),
  );
  const { status, json, text } = await played.verified(bvn, "after");
  assert.equal(status, 200, text);
  const { attempts, charged } = await played.rowOf(json.data.request_reference);
  assert.deepEqual([attempts.length, charged], [1, 1]);
}

// The tests mostly wait, so three suites run at a time.
suite("a service on", { concurrency: 3 }, () => {
  let vendor: VendorProcess;
  const openings = new Map<Fault, Promise<Played>>();
  before(async () => {
    vendor = await startVendor({ seed: "store faults", manners: { held: 1 }, negatives: 0 });
    // Opens all services before the first store fails: a start would delay responses that must come within a second.
    for (const [place, fault] of faults.entries())
      if (!fault.unfit) openings.set(fault, Played.open(vendor, fault, `220000005${10 + place}`));
    await Promise.allSettled(openings.values());
  });
  after(() => vendor.stop());

  for (const [place, fault] of faults.entries())
    suite(fault.name, { skip: fault.unfit, concurrency: false }, () => {
      let played: Played;
      before(async () => {
        played = await openings.get(fault)!;
      });
      after(() => played?.stage.close());

      test("during a store fault, verifications fail within a second without an attempt, and look-ups work", () =>
        refuses(played, `220000001${10 + place}`, `220000002${10 + place}`));

      test("during a store fault, a record is returned only once its outcome is written", () =>
        holdsBack(played, `220000003${10 + place}`));

      if (fault === outage)
        test("look-ups continue during a store fault, and verifications work as soon as it ends", () =>
          outlives(played, "22000000400"));
    });
});
