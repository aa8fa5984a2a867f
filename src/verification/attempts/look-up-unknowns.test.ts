import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Ledger } from "../../ledger/ledger.ts";
import { contextLogFields } from "../../runtime/log.ts";
import { RecordedLog } from "../../runtime/recorded-log.fixture.ts";
import type { IdentityOutcome, IdentityUpstream } from "../../vendors/ports/identity-upstream.ts";
import { unavailable } from "../../vendors/ports/outcomes.ts";
import { sandbox } from "../../vendors/sandbox/index.ts";
import { engines, failureFrom, newRequest, suiteStore } from "../identity.fixture.ts";
import { onlyRow } from "../ledger.fixture.ts";
import { verified } from "../played-upstream.fixture.ts";
import { lookUpUnknowns } from "./look-up-unknowns.ts";

const minute = 60_000;

for (const engine of engines) {
  suite(`looking up unknown outcomes on ${engine.name}`, () => {
    const store = suiteStore(engine);

    /** A live verification that ended unknown, and a round of look-ups some time later. */
    async function ended(t: Parameters<typeof store.open>[0], answer: IdentityOutcome | Error, canTell = true) {
      const looked: string[] = [];
      const fields: object[] = [];
      const lookUp: IdentityUpstream["lookUp"] = async ({ reference }) => {
        looked.push(reference);
        fields.push(contextLogFields());
        if (answer instanceof Error) throw answer;
        return answer;
      };
      const source: IdentityUpstream = {
        name: "source",
        kinds: ["bvn"],
        verify: async () => ({ state: "unknown", reason: "unclear" }),
      };
      if (canTell) source.lookUp = lookUp;
      const identity = await store.open(t, { upstreams: { test: sandbox(), live: [source] } });
      const mine = newRequest({ mode: "live", idempotencyKey: "k" });
      await failureFrom(identity.verify(mine));
      const row = () => onlyRow(store.db, mine);
      const { reference } = await row();
      const ledger = new Ledger(store.db);
      const log = new RecordedLog();
      const round = async (after: number, changes: { isAwaited?: boolean; signal?: AbortSignal } = {}) => {
        const learning: Promise<boolean>[] = [];
        await lookUpUnknowns(
          store.db,
          {
            upstreams: { test: sandbox(), live: [source] },
            isAwaited: (one) => one !== reference || changes.isAwaited === true,
            deferredOutcomes: { add: (attempt, outcome) => void learning.push(ledger.resolve(attempt, outcome)) },
            log,
            now: () => Date.now() + after,
          },
          changes.signal ?? new AbortController().signal,
        );
        await Promise.all(learning);
        return looked.length;
      };
      return { round, row, log, fields };
    }

    test("an unknown outcome is looked up at its source after a minute, and the result is not charged", async (t) => {
      for (const [outcome, state] of [
        [{ state: "negative", reason: "not_found" }, "not_found"],
        [{ state: "negative", reason: "phone_mismatch" }, "phone_mismatch"],
        [unavailable("not_done"), "failed"],
      ] as const) {
        const { round, row } = await ended(t, outcome);
        assert.equal(await round(minute / 2), 0);
        assert.equal((await row()).state, "unknown");
        assert.equal(await round(2 * minute), 1);
        const { state: learned, charged, unresolved } = await row();
        assert.deepEqual([learned, charged], [state, 0]);
        if (state === "failed") assert.equal(unresolved, 0);
      }
    });

    test("a look-up stores in the attempt whether the source billed that attempt", async (t) => {
      for (const billed of ["no", "yes", undefined] as const) {
        const outcome = { state: "negative", reason: "not_found", ...(billed && { billed }) } as const;
        const { round, row } = await ended(t, outcome);
        assert.equal(await round(2 * minute), 1);
        const { reference } = await row();
        const attempts = store.db.selectFrom("verification_attempt").where("reference", "=", reference);
        const [attempt] = await attempts.select(["outcome", "billed"]).execute();
        assert.deepEqual({ ...attempt }, { outcome: "negative", billed: billed ?? null });
      }
    });

    test("a look-up that finds a record, learns nothing or throws leaves the outcome unknown", async (t) => {
      for (const answer of [
        { state: "unknown", reason: "unclear" } as const,
        await verified(newRequest()),
        new Error("22000000017"),
      ]) {
        const { round, row, log } = await ended(t, answer);
        assert.equal(await round(2 * minute), 1);
        assert.equal((await row()).state, "unknown");
        assert.equal(log.lines.length, answer instanceof Error ? 1 : 0);
        assert.doesNotMatch(JSON.stringify(log.lines), /22000000017/);
      }
    });

    test("log lines of a look-up name the first request of its verification", async (t) => {
      const { round, row, fields } = await ended(t, { state: "unknown", reason: "unclear" });
      await round(2 * minute);
      const { request_id: requestId, account_id: account, key_id: key } = await row();
      assert.ok(requestId);
      assert.deepEqual(fields, [{ requestId, account, key, mode: "live" }]);
    });

    test("a look-up of sandbox attempts makes number 13 not found, and leaves number 6 unknown", async (t) => {
      const identity = await store.open(t);
      const [late, never] = ["00000000013", "00000000006"].map((number) => newRequest({ number, idempotencyKey: "k" }));
      for (const mine of [late!, never!]) await failureFrom(identity.verify(mine));
      const ledger = new Ledger(store.db);
      const learning: Promise<boolean>[] = [];
      await lookUpUnknowns(
        store.db,
        {
          upstreams: { test: sandbox(), live: [] },
          isAwaited: () => false,
          deferredOutcomes: { add: (attempt, outcome) => void learning.push(ledger.resolve(attempt, outcome)) },
          log: store.log,
          now: () => Date.now() + 2 * minute,
        },
        new AbortController().signal,
      );
      await Promise.all(learning);
      assert.equal((await onlyRow(store.db, late!)).state, "not_found");
      assert.equal((await onlyRow(store.db, never!)).state, "unknown");
    });

    test("attempts that are running or a day old are not looked up, nor any after a stop", async (t) => {
      const { round } = await ended(t, { state: "negative", reason: "not_found" });
      assert.equal(await round(2 * minute, { isAwaited: true }), 0);
      assert.equal(await round(24 * 60 * minute), 0);
      assert.equal(await round(2 * minute, { signal: AbortSignal.abort() }), 0);
      const { round: never } = await ended(t, { state: "negative", reason: "not_found" }, false);
      assert.equal(await never(2 * minute), 0);
    });
  });
}
