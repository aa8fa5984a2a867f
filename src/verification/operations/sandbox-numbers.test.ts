import assert from "node:assert/strict";
import { mock, suite, type TestContext, test } from "node:test";
import { type CheckKind, checkKinds } from "../../declare/check-kind.ts";
import { Failure } from "../../declare/failures.ts";
import { failuresOf } from "../../declare/operation.ts";
import type { IdentityUpstream } from "../../vendors/ports/identity-upstream.ts";
import { sandbox } from "../../vendors/sandbox/index.ts";
import { reservedFor, sandboxNumbers } from "../../vendors/sandbox/numbers.ts";
import { callOf, newRequest, suiteStore, until, usualEngines } from "../identity.fixture.ts";
import { onlyRow, quiet } from "../ledger.fixture.ts";
import { identityOperations } from "./index.ts";

const operationOf = (kind: CheckKind) => identityOperations.find(({ path }) => path.endsWith(`/verify-${kind}`))!;
/** How long a service waits for its sandbox, as for any upstream, in milliseconds. */
const patience = 15_000;

for (const engine of usualEngines) {
  suite(`the numbers of the sandbox on ${engine.name}`, () => {
    const store = suiteStore(engine, mock.timers);

    /** Opens a service, and counts the requests to its sandbox. */
    async function open(t: TestContext) {
      const usual = sandbox();
      const asked = { count: 0 };
      const upstream: IdentityUpstream = {
        ...usual,
        verify(attempt) {
          asked.count += 1;
          return usual.verify(attempt);
        },
      };
      const identity = await store.open(t, { upstreams: { test: upstream, live: [] }, settings: { limits: null } });
      return { identity, asked };
    }

    type Room = Awaited<ReturnType<typeof open>>;

    /** The response to a new caller for a number, in the words of the table. */
    function callerOf(kind: CheckKind, number: string, consent?: string) {
      const caller = { accountId: newRequest().accountId };
      const headers = { "idempotency-key": "k", ...(consent ? { "consent-reference": consent } : {}) };
      const input = { [kind]: number, phone: "08000000017", amount: "100" };
      const tell = async ({ identity }: Room): Promise<string> => {
        try {
          const { answer } = await callOf(operationOf(kind), identity, { input, headers, caller });
          return (answer.data as { verification_status: string }).verification_status;
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          assert.ok(failuresOf(operationOf(kind)).includes(error.code), error.code);
          return `${error.status} ${error.code}`;
        }
      };
      return { tell, row: () => onlyRow(store.db, caller) };
    }

    for (const kind of checkKinds)
      for (const { number, result, retried } of sandboxNumbers(kind))
        test(`the sandbox answers ${kind} ${number} with ${result}, and a retry with ${retried}`, async (t) => {
          const room = await open(t);
          const { tell, row } = callerOf(kind, number);
          const { description, delay = 0 } = reservedFor({ kind, number })!;
          const first = tell(room);
          if (delay > 0) {
            assert.match(description, new RegExp(` ${delay / 1000} s\\b`));
            await until(() => room.asked.count === 1);
            mock.timers.tick(Math.min(delay, patience) - 1);
            assert.equal(await Promise.race([first, settledBy("nobody yet")]), "nobody yet");
            mock.timers.tick(1);
          }
          assert.equal(await first, result);
          if (delay > patience) {
            mock.timers.tick(delay - patience);
            await until(async () => (await row()).state === "verified");
            await quiet(store.usage);
          }
          assert.equal(await tell(room), retried);
          const isCharged = result === "VERIFIED" || retried === "VERIFIED";
          if (room.asked.count > 0) assert.equal((await row()).charged, isCharged ? 1 : 0);
        });

    test("another instance can resolve a sandbox outcome that was unknown at first", async (t) => {
      for (const [number, retried, state] of [
        ["00000000012", "VERIFIED", "verified"],
        ["00000000013", "404 bvn_not_found", "not_found"],
        ["00000000018", "VERIFIED", "verified"],
      ] as const) {
        const { tell, row } = callerOf("bvn", number);
        const room = await open(t);
        const first = tell(room);
        await until(() => room.asked.count === 1);
        mock.timers.tick(patience);
        assert.equal(await first, "504 upstream_timeout");
        assert.equal((await row()).state, "unknown");
        await store.end(room.identity);
        assert.equal(await tell(await open(t)), retried);
        assert.equal((await row()).state, state);
      }
    });

    test("the sandbox number that needs a Consent-Reference is verified with one", async (t) => {
      const room = await open(t);
      assert.equal(await callerOf("bvn", "00000000014").tell(room), "403 consent_required");
      assert.equal(await callerOf("bvn", "00000000014", "c-1").tell(room), "VERIFIED");
    });
  });
}

/** Resolves after everything that is due has run. */
function settledBy(value: string): Promise<string> {
  return new Promise((resolve) => setImmediate(resolve, value));
}
