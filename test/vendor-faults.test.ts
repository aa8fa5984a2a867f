import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, suite, test } from "node:test";
import { lastVendor, withAttempts } from "../src/ledger/attempts.ts";
import { type Behaviour, json, LocalVendor } from "../src/vendors/local-vendor.fixture.ts";
import { didNoWork, outcomeWord } from "../src/vendors/ports/outcomes.ts";
import { storedReason } from "../src/vendors/ports/reasons.ts";
import { vendorFaults, vendorWaits } from "../src/vendors/vendor-faults.fixture.ts";
import verifiedFile from "../stand-ins/blusalt/samples/verified.json" with { type: "json" };
import foundFile from "../stand-ins/dojah/samples/found.json" with { type: "json" };
import { usualEngines } from "./support/engines.ts";
import { startService, type TestService } from "./support/service.ts";

const { sample: verified } = verifiedFile;
const { sample: found } = foundFile;

const path = "/api/v2/kyc/verify-bvn";
const person = { bvn: found.entity.bvn, phone: found.entity.phone_number1, amount: "100" };
/** One of a crowd, all with one phone. */
const someone = (nth: number) => ({ ...person, bvn: String(22_000_000_100 + nth) });
const settings = (first: LocalVendor, second: LocalVendor) => ({
  DUBA_LIMITS: "off",
  DUBA_UPSTREAMS: "dojah,blusalt",
  DUBA_DOJAH_URL: first.url,
  DUBA_DOJAH_APP_ID: "app",
  DUBA_DOJAH_KEY: "key",
  DUBA_BLUSALT_URL: second.url,
  DUBA_BLUSALT_CLIENT_ID: "client",
  DUBA_BLUSALT_APP_NAME: "app",
  DUBA_BLUSALT_KEY: "key",
});

/**
 * The expected response and the expected row for a fault of the first vendor, by the certainty that the fault leaves.
 */
const told = {
  /** The first vendor certainly did no work, so the second vendor is asked. */
  unavailable: { status: 200, code: undefined, state: "verified", upstream: "blusalt", asked: [1, 1], charged: 1 },
  /** The first vendor may have done the work, so no other vendor is asked. */
  unknown: { status: 504, code: "upstream_timeout", state: "unknown", upstream: "dojah", asked: [1, 0], charged: 0 },
  /** The first vendor answered something that cannot be trusted, so no other vendor is asked. */
  bad_response: {
    status: 502,
    code: "upstream_bad_response",
    state: "failed",
    upstream: "dojah",
    asked: [1, 0],
    charged: 0,
  },
};

async function attemptsByVendor(service: TestService): Promise<Record<string, number>> {
  const { db } = await service.store();
  const attempts = await db.selectFrom("verification_attempt").select("vendor").execute();
  const countOf = (vendor: string) => attempts.filter((attempt) => attempt.vendor === vendor).length;
  return { dojah: countOf("dojah"), blusalt: countOf("blusalt") };
}

for (const engine of usualEngines)
  suite(`a vendor before another one on ${engine.name}`, () => {
    let first: LocalVendor;
    let second: LocalVendor;
    let service: TestService;
    let key: string;
    let nth = 0;
    /** How many calls each vendor received from `service`, by the vendors' own count. */
    const counts = { dojah: 0, blusalt: 0 };
    const received = () => ({ dojah: first.received.length, blusalt: second.received.length });
    before(async () => {
      first = await LocalVendor.start();
      second = await LocalVendor.start();
      second.behaviour = json(200, verified);
      service = await startService(
        {
          ...settings(first, second),
          DUBA_UPSTREAM_TIMEOUT: "1500ms",
          // One fault must not open the breaker for the next fault.
          DUBA_UPSTREAM_BREAKER_FAILURES: "1000",
        },
        engine,
        { fixed: { upstream: { alarmPause: 1 } } },
      );
      key = (await service.newKey({ mode: "live" })).text;
    });
    after(async () => {
      await service.close();
      await first.close();
      await second.close();
    });

    /**
     * Runs a verification in which the first vendor has this behaviour. `reason`: the reason that its attempt must
     * have; null: no request reaches it, so there is no attempt.
     */
    async function meets(behaviour: Behaviour, kind: keyof typeof told, reason: string | null): Promise<void> {
      const heard = reason === null ? 0 : 1;
      const before = received();
      first.behaviour = behaviour;
      nth += 1;
      const answer = await service.ask(path, {
        method: "POST",
        credential: key,
        headers: { "Idempotency-Key": `fault-${nth}` },
        body: person,
      });
      const asked = [received().dojah - before.dojah, received().blusalt - before.blusalt];
      counts.dojah += asked[0]!;
      counts.blusalt += asked[1]!;
      const { db } = await service.store();
      const newest = db.selectFrom("verification").selectAll().orderBy("started_at", "desc").limit(1);
      const row = (await withAttempts(db, await newest.execute()))[0]!;
      assert.deepEqual(
        {
          status: answer.status,
          code: answer.json.error?.code,
          state: row.state,
          upstream: lastVendor(row),
          asked,
          charged: row.charged,
        },
        { ...told[kind], asked: [heard, told[kind].asked[1]] },
      );
      assert.deepEqual(
        row.attempts.map(({ vendor, outcome, reason }) => ({ vendor, outcome, reason })),
        [
          ...(heard ? [{ vendor: "dojah", outcome: kind === "unknown" ? "unknown" : "failed", reason }] : []),
          ...(told[kind].asked[1] ? [{ vendor: "blusalt", outcome: "verified", reason: null }] : []),
        ],
      );
      assert.doesNotMatch(answer.text, /raw text of a vendor/);
      assert.doesNotMatch(JSON.stringify(service.lines), /raw text of a vendor|22000000017/);
    }

    for (const [what, { behaviour, outcome }] of Object.entries(vendorFaults))
      test(`if the first vendor ${what}, the attempt counts as ${outcomeWord(outcome)}`, () => {
        assert.ok("reason" in outcome);
        const kind = outcome.state === "unknown" ? "unknown" : didNoWork(outcome) ? "unavailable" : "bad_response";
        return meets(behaviour, kind, storedReason(outcome.reason));
      });

    test("if the first vendor returns another BVN's record, the attempt is bad_response, and is logged", async () => {
      const before = service.lines.length;
      await meets(json(200, { entity: { ...found.entity, bvn: "22000000018" } }), "bad_response", "bad_response");
      const told = service.lines.slice(before).flatMap(({ fields }) => ("why" in fields ? [fields.why] : []));
      assert.deepEqual(told, ["other_number"]);
    });

    test("if the first vendor answers 200 with an error inside, the attempt is bad_response", () =>
      meets(json(200, { error: "…" }), "bad_response", "bad_response"));

    test("a vendor that dies fails only verifications in flight, and another one serves the next 200", async () => {
      await using crowded = await startService(
        { ...settings(first, second), DUBA_UPSTREAM_CONCURRENCY: "200" },
        engine,
        {
          fixed: { upstream: { breakerPause: 600_000 } },
        },
      );
      const credential = (await crowded.newKey({ mode: "live" })).text;
      const underWay: ServerResponse[] = [];
      first.behaviour = (response) => {
        underWay.push(response);
        if (underWay.length === 200) for (const { socket } of underWay) socket!.destroy();
      };
      second.behaviour = (response, { body }) => {
        const results = { ...verified.results, bvn_number: JSON.parse(body).bvn_number };
        json(200, { ...verified, results })(response, { body } as never);
      };
      const crowd = async (name: string) => {
        const statuses = Array.from({ length: 200 }, async (_, nth) => {
          const headers = { "Idempotency-Key": `${name}-${nth}` };
          return (await crowded.ask(path, { method: "POST", credential, headers, body: someone(nth) })).status;
        });
        return [...new Set(await Promise.all(statuses))];
      };
      const before = received();
      assert.deepEqual(await crowd("lost"), [504]);
      const askedOfFirst = first.received.length;
      assert.deepEqual(await crowd("served"), [200]);
      assert.equal(first.received.length, askedOfFirst);
      const { dojah, blusalt } = received();
      const asked = { dojah: dojah - before.dojah, blusalt: blusalt - before.blusalt };
      assert.deepEqual(await attemptsByVendor(crowded), asked);
    });

    for (const [what, { behaviour, outcome }] of Object.entries(vendorWaits))
      test(`a vendor that ${what} is skipped for that time, and callers get the next vendor or Retry-After`, async () => {
        for (const vendors of ["dojah,blusalt", "dojah"]) {
          await using waiting = await startService({ ...settings(first, second), DUBA_UPSTREAMS: vendors }, engine);
          const credential = (await waiting.newKey({ mode: "live" })).text;
          first.behaviour = behaviour;
          second.behaviour = (response, { body }) => {
            const results = { ...verified.results, bvn_number: JSON.parse(body).bvn_number };
            json(200, { ...verified, results })(response, { body } as never);
          };
          const verify = (nth: number) => waiting.ask(path, { method: "POST", credential, body: someone(nth) });
          const before = received();
          const told = await verify(1);
          const others = [await verify(2), await verify(3)];
          assert.equal(received().dojah - before.dojah, 1);
          const mayFailOver = vendors !== "dojah" && didNoWork(outcome);
          assert.equal(told.headers["retry-after"], mayFailOver ? undefined : "60");
          for (const { status, json, headers } of others)
            if (vendors === "dojah") {
              assert.deepEqual([status, json.error.code], [503, "upstream_unavailable"]);
              const wait = Number(headers["retry-after"]);
              assert.ok(wait > 5 && wait <= 60, String(wait));
            } else assert.equal(status, 200);
        }
      });

    test("if the first vendor refuses connections, the second one is asked, and only that is an attempt", async () => {
      await first.close();
      await meets(() => {}, "unavailable", null);
    });

    test("the ledger has an attempt for each call that the vendors counted", async () => {
      assert.deepEqual(await attemptsByVendor(service), counts);
    });
  });
