import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type Client, clients } from "./support/clients.ts";
import { type Fault, FaultyProxy, faults, isFinal } from "./support/faulty-proxy.ts";
import { sandboxKey, suiteService } from "./support/service.ts";

/**
 * Verifications of a client in each language through a gateway with each fault: each person is charged once, and no key
 * is lost.
 */

/** Seconds that a client waits for a response in a test where many faults answer late or never. */
const seconds = 3;
/** Seconds for a test in which one request meets such a fault. The next request succeeds, also on a busy machine. */
const longer = 6;
/** Seconds for a test in which no fault delays a client, so only an answered request is sent again. */
const patience = 30;
/** Faults that let a client wait. */
const slow: readonly Fault[] = ["held", "drip"];
const intents = 300;
/** Faults after which a client may report no answer, or an answer that is not Duba's. */
const between: readonly Fault[] = ["half", "chunk", "200 no gzip"];

interface Trial {
  url: string;
  bvn: string;
  retries: number;
  key?: string;
  /** Seconds that the client waits for an answer. */
  patience?: number;
}

suite("through a gateway with any fault", { concurrency: true }, () => {
  const service = suiteService({ DUBA_LIMITS: "off" });
  /** Numbers that only one trial verifies. */
  let numbers = 22_200_001_000;
  const newNumber = () => {
    numbers += 1;
    return String(numbers);
  };
  const verified = async (client: Client, trial: Trial) => {
    const { url, bvn, retries, key, patience = seconds } = trial;
    const given = { bvn, phone: "08000000017", amount: "100", ...(key && { "idempotency-key": key }) };
    const call = { url, key: sandboxKey, retries, timeout: patience, method: "verifyBvn", given };
    const { answer, failure, other } = await client(call);
    assert.equal(other, undefined);
    return { code: failure?.error.code, key: String(answer?.idempotency_key ?? failure?.error.idempotency_key ?? "") };
  };
  const assertChargedOnce = async (bvns: readonly string[]) => {
    const { db } = await service.store();
    for (const bvn of bvns) {
      const rows = db.selectFrom("verification").select(["charged"]).where("subject_last4", "=", bvn.slice(-4));
      assert.deepEqual(await rows.execute(), [{ charged: 1 }], bvn);
    }
  };

  for (const { name, skip, open } of clients) {
    test(`behind a faulty gateway, the ${name} client throws only its own errors, and is charged once`, {
      skip,
    }, async (t) => {
      const client = open(t);
      const bvns: string[] = [];
      for (const fault of faults)
        for (const retries of [0, 3]) {
          await using proxy = await FaultyProxy.open(service.url, [fault]);
          const trial = {
            url: proxy.url,
            bvn: newNumber(),
            retries,
            patience: slow.includes(fault) ? longer : patience,
          };
          bvns.push(trial.bvn);
          const first = await verified(client, trial);
          const about = `${fault}, ${retries} retries: ${JSON.stringify(first)}`;
          const isAnswered = retries > 0 && !isFinal(fault);
          const isUnanswered = ["refused", "cut", "lost", "held", "late", "garbage", "drip"].includes(fault);
          if (isAnswered) assert.equal(first.code, undefined, about);
          else if (!between.includes(fault))
            assert.equal(first.code, isUnanswered ? "no_answer" : "unexpected_answer", about);
          assert.ok(first.key, about);
          if (!isAnswered) {
            const again = await verified(client, { ...trial, retries: 3, key: first.key });
            assert.deepEqual(again, { code: undefined, key: first.key }, `${about}, then its key`);
          }
          assert.deepEqual([...new Set(proxy.passed.map(({ key }) => key))], [first.key], about);
        }
      await assertChargedOnce(bvns);
    });

    test(`the ${name} client sends a verification again even if its request for the outcome was lost`, {
      skip,
    }, async (t) => {
      const client = open(t);
      const quick = faults.filter((fault) => !["held", "drip"].includes(fault));
      for (const fault of quick) {
        await using proxy = await FaultyProxy.open(service.url, ["lost", fault]);
        const { code } = await verified(client, { url: proxy.url, bvn: newNumber(), retries: 1, patience });
        assert.equal(code, undefined, fault);
        assert.deepEqual(
          proxy.passed.map(({ method }) => method),
          ["POST", "GET", "POST"],
          fault,
        );
      }
    });

    test(`${intents} verifications of the ${name} client through faults are ${intents} charges`, {
      skip,
    }, async (t) => {
      const bvns = Array.from({ length: intents }, newNumber);
      const waiting = bvns.map((bvn, at) => ({
        bvn,
        fault: (step: number) => faults[(at + step * 7) % faults.length]!,
      }));
      // One program sends its calls one after another.
      const work = async () => {
        const client = open(t);
        for (let intent = waiting.shift(); intent !== undefined; intent = waiting.shift()) {
          await using proxy = await FaultyProxy.open(service.url, [intent.fault(0), intent.fault(1), intent.fault(2)]);
          const trial = { url: proxy.url, bvn: intent.bvn, retries: 2 };
          let outcome = await verified(client, trial);
          for (let tries = 0; outcome.code !== undefined && tries < 9; tries += 1)
            outcome = await verified(client, { ...trial, key: outcome.key });
          assert.equal(outcome.code, undefined, `${intent.bvn} ${intent.fault(0)}`);
        }
      };
      await Promise.all(Array.from({ length: 10 }, work));
      await assertChargedOnce(bvns);
    });
  }
});
