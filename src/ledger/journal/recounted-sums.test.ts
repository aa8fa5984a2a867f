import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { priceAttempts } from "../../features/books/price-attempts.ts";
import { TimeZone } from "../../runtime/time-zone.ts";
import { inSnapshot } from "../../storage/audited.ts";
import { engines, suiteStore } from "../../verification/identity.fixture.ts";
import type { RunOutcome } from "../attempts.ts";
import { newAttempt, unresolvedAttempts } from "../attempts.ts";
import { Charges } from "../charges.ts";
import { Ledger, type Row } from "../ledger.ts";
import { found, newRow } from "../ledger-moves.fixture.ts";
import type { PublicState } from "../public-state.ts";
import { type Grouping, summary } from "../reports/summary.ts";
import { settle, settleAttempts, settledAfter } from "../settle.ts";
import { abandonAll } from "../statements/abandon-rows.ts";
import { followJournal } from "./follow-journal.ts";
import { rebuildSums } from "./rebuild-sums.ts";
import { differencesOf, type SumDifference, sumPieces } from "./recounted-sums.ts";
import { counts } from "./verification-sums.ts";

const zone = new TimeZone("Africa/Lagos");
const audit = async () => {};
const prices = { first: { bvn: 5_000, "bvn.not_found": 1_000, "*.failed": 300 }, next: { bvn: 7_000 } };
const dearer = { first: { bvn: 6_000, "bvn.not_found": 3_000, "*.failed": 20 }, next: { bvn: 7_500 } };
const hour = 3_600_000;
const day = 24 * hour;

const outcomes = ["verified", "not_found", "phone_mismatch", "failed", "unknown", "not sent"] as const;
const steps = [
  ...["end", "end", "late", "late", "fail over", "call again", "wait again", "look up", "abandon"],
  ...[
    "settle as failed",
    "settle as billed",
    "settle as not_found",
    "settle attempts",
    "charge",
    "withdraw",
    "follow",
    "price",
    "compare",
  ],
] as const;

const step = fc.record({
  does: fc.constantFrom(...steps),
  outcome: fc.constantFrom(...outcomes),
  billed: fc.constantFrom("yes", "no", "unknown", null),
  /** Milliseconds since the step before. */
  after: fc.constantFrom(1, 300, 800, 4_000, 30_000, hour),
  /** Picks the run to which a late response belongs. */
  run: fc.nat(4),
  /** The prices in the settings when the step is done. */
  prices: fc.constantFrom(prices, dearer),
});
const attemptEnds = ["released", "record_lost", "not_found"] as const;
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** An operator states that the vendor bills an attempt, and then the vendor's answer comes after all. */
const billedThenAnswered = (["end", "settle as billed", "follow", "late", "follow"] as const).map((does): Step => {
  const outcome = does === "late" ? "verified" : "unknown";
  return { does, outcome, billed: null, after: 1, run: 0, prices };
});

/** An invoice gives the outcome of an unanswered attempt, after another vendor verified the person. */
const endedByInvoice = (["fail over", "end", "follow", "settle attempts", "follow"] as const).map((does): Step => {
  const outcome = does === "end" ? "verified" : "unknown";
  return { does, outcome, billed: null, after: 1, run: 0, prices };
});

/** Callers get "unknown", and then the request turns out never to have been sent. */
const neverSent = (["end", "follow", "late", "follow"] as const).map((does): Step => {
  const outcome = does === "late" ? "not sent" : "unknown";
  return { does, outcome, billed: null, after: 1, run: 0, prices };
});

for (const engine of engines)
  suite(`sums made anew on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const begin = Date.now() - 30 * hour;
    const parts = () => ({ db: store.db, audit, zone });
    const room = (vendorPrices = prices) => ({
      db: store.db,
      audit,
      actor: "terminal:ada",
      now: Date.now,
      progress: () => {},
      config: { timeZone: zone, vendorPrices },
    });
    const reprice = (of: typeof prices) =>
      priceAttempts(room(), { vendor: "first", prices: of.first, from: 0, to: Date.now() });

    /** Returns the sums that differ from the ledger, by column. */
    const wrong = (account?: string) =>
      inSnapshot(store.db, async (snapshot) => {
        const all: SumDifference[] = [];
        for await (const piece of sumPieces(snapshot, Date.now(), zone))
          all.push(...(await differencesOf(snapshot, piece, zone)).differences);
        return all.filter(({ stored }) => {
          const of = "about" in stored ? stored.name : stored.account_id;
          return account === undefined || of === account || of === `key of ${account}`;
        });
      });
    /** Returns a summary twice: from the sums and from the ledger. */
    const summaries = (accountId: string | undefined, by: Grouping) => {
      const period = { from: 0, to: Date.now() + day, accountId };
      return Promise.all([
        summary(store.db, period, { by, zone, now: Date.now() + 2 * day }),
        summary(store.db, period, { by, zone }),
      ]);
    };
    const assertSameSummaries = async (accountId?: string) => {
      for (const by of ["account", "day", "state"] as const) {
        const [ofSums, ofLedger] = await summaries(accountId, by);
        const told = ofLedger.filter(
          ({ count, charged, feeKobo }) => count + Math.abs(charged) + Math.abs(feeKobo) > 0,
        );
        assert.deepEqual(ofSums, told);
      }
    };
    const sums = async () => {
      const rows = await store.db
        .selectFrom("verification_sum")
        .selectAll()
        .orderBy("span")
        .orderBy("begins_at")
        .execute();
      const counted = rows.filter((row) => counts.some((count) => row[count] !== 0));
      return counted.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
    };

    /** Plays the steps of a verification, except those that the ledger does not allow. */
    async function live(life: readonly Step[], account: string): Promise<void> {
      const ledgers = new Map([prices, dearer].map((one) => [one, new Ledger(store.db, undefined, one)]));
      let at = begin + Math.floor(Math.random() * 20 * hour);
      const attempted = (vendor: "first" | "next") => ({ vendor, at, requestId: "request", price: prices[vendor].bvn });
      const owner = `owner of ${account}`;
      const of = { account_id: account, key_id: `key of ${account}` };
      const start = newRow({ attempts: 0, ...of, owner, created_at: at, started_at: at });
      const row: Row = { ...start, attempts: [newAttempt(start, attempted("first"))] };
      assert.ok(await ledgers.get(prices)!.insert(row as Row & { state: "started" }));
      /** Each run, with the attempt of its response. */
      const runs: { row: Row; attempt: number | null }[] = [{ row, attempt: 1 }];
      const outcomeOf = ({ outcome, billed }: Step, attempt: number | null): RunOutcome => {
        const isSent = outcome !== "not sent";
        const told: PublicState = isSent ? outcome : "failed";
        const facts = isSent ? { ...(billed && { billed }) } : { notSent: true };
        return { ...found(told), attempt, at, ...facts } as RunOutcome;
      };
      for (const one of life) {
        at += one.after;
        const ledger = ledgers.get(one.prices)!;
        const now = (await ledger.byReference(account, "test", start.reference))!;
        const last = runs.at(-1)!;
        const again = async (begins: "attempt" | "wait" | "lookUp") => {
          const open = now.attempts.findLast(({ outcome }) => outcome === "unknown");
          if (begins !== "attempt" && !open) return;
          const moved = await ledger.retry(now, { ...attempted("next"), owner, begins });
          if (moved) runs.push({ row: moved, attempt: begins === "attempt" ? moved.run : open!.number });
        };
        const doing: Record<(typeof steps)[number], () => Promise<unknown>> = {
          end: () => ledger.complete(last.row, outcomeOf(one, last.attempt)),
          async late() {
            const run = runs[one.run % runs.length]!;
            const outcome = outcomeOf(one, run.attempt);
            if (await ledger.complete(run.row, { ...outcome, charge: null }, { mayHaveTaken: true })) return;
            if (await ledger.resolve(run.row, outcome)) return;
            await ledger.endAttempt(run.row, outcome);
          },
          async "fail over"() {
            const moved = await ledger.failOver(last.row, outcomeOf(one, last.attempt), attempted("next"));
            if (moved) runs.push({ row: moved, attempt: moved.run });
          },
          "call again": () => again("attempt"),
          "wait again": () => again("wait"),
          "look up": () => again("lookUp"),
          abandon: () => abandonAll(store.db, { owner }, () => at),
          "settle as failed": () => settling("failed"),
          "settle as billed": () => settling("failed", [one.run, one.run + 1]),
          "settle as not_found": () => settling("not_found"),
          "settle attempts": async () => {
            const attempts = unresolvedAttempts(now).map(({ number }) => ({
              number,
              reason: attemptEnds[number % 3]!,
            }));
            if (now.state !== "unknown" && now.state !== "started")
              await settleAttempts(
                { ...room(one.prices), now: () => at },
                { reference: start.reference, attempts, reason: "An invoice" },
              );
          },
          charge: async () => now.state === "verified" && new Charges(store.db, () => at).charge(now, "mark"),
          withdraw: () => new Charges(store.db, () => at).withdraw(start.reference, { mark: "mark", replaces: "" }),
          follow: () => followJournal(parts()),
          price: () => reprice(one.prices),
          compare: async () => assert.deepEqual(await wrong(account), []),
        };
        const settling = async (as: "failed" | "not_found", billed: number[] = []) => {
          at += settledAfter;
          if (now.state === "unknown")
            await settle(
              { ...room(one.prices), now: () => at },
              { reference: start.reference, as, reason: "Their support", billed },
            );
        };
        await doing[one.does]();
      }
    }

    test("at any moment, sums that are rebuilt equal the sums that were added up from the journal", async () => {
      let lives = 0;
      const life = fc.array(step, { minLength: 1, maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(life, async (life) => {
          lives += 1;
          const account = `acc_${lives}`;
          await live(life, account);
          assert.deepEqual(await wrong(account), []);
          await assertSameSummaries(account);
        }),
        { numRuns: 25, examples: [[billedThenAnswered], [endedByInvoice], [neverSent]] },
      );
      await followJournal(parts());
      assert.deepEqual(await wrong(), []);
      await assertSameSummaries();
      const followed = await sums();
      assert.ok(followed.length > 20);

      await store.db
        .deleteFrom("verification_sum")
        .where("kind", "=", "bvn")
        .where("account_id", "=", "acc_1")
        .execute();
      await store.db.updateTable("verification_sum").set({ unknown: 77 }).where("span", "=", "day").execute();
      assert.ok((await wrong()).length > 0);
      await rebuildSums(room(), zone);
      assert.deepEqual(await sums(), followed);
      assert.equal((await rebuildSums(room(), zone)).rebuilt, 0);
    });

    test("rebuilding sums three times at once amid verifications loses nothing and counts nothing twice", async () => {
      await store.db.deleteFrom("verification_sum").execute();
      const life = fc.array(
        step.filter(({ does }) => does !== "compare" && does !== "price"),
        { minLength: 4, maxLength: 10 },
      );
      await Promise.all([
        ...fc.sample(life, 20).map((one, at) => live(one, `acc_at_once_${at}`)),
        ...Array.from({ length: 3 }, () => rebuildSums(room(), zone)),
      ]);
      await followJournal(parts());
      assert.deepEqual(await wrong(), []);
    });

    test("a rebuild keeps and reports sums whose attempts the ledger has lost", async () => {
      await live([{ ...billedThenAnswered[0]!, outcome: "verified" }], "acc_lost");
      await followJournal(parts());
      const before = await sums();
      const lost = store.db.deleteFrom("verification_attempt").where("account_id", "=", "acc_lost");
      await lost.execute();
      const { rebuilt, refused } = await rebuildSums(room(), zone);
      assert.equal(rebuilt, 0);
      assert.deepEqual(
        refused
          .map((sum) => /^of the (day|hour) from [^,]*, (\w+).* attempts is /.exec(sum)?.slice(1).join(" of "))
          .sort(),
        ["day", "hour"].flatMap((span) => ["acc_lost", "key", "vendor"].map((of) => `${span} of ${of}`)),
      );
      assert.deepEqual(await sums(), before);
      await store.db.deleteFrom("verification_sum").where("account_id", "=", "acc_lost").execute();
      await store.db.deleteFrom("verification").where("account_id", "=", "acc_lost").execute();
      await store.db.deleteFrom("use_sum").execute();
      await rebuildSums(room(), zone);
    });

    test("rebuilt sums contain bills that were corrected later", async () => {
      await followJournal(parts());
      const unpriced = store.db.updateTable("verification_attempt").set({ price: null, bill: null });
      await unpriced.where("vendor", "=", "first").execute();
      await rebuildSums(room(), zone);
      const { attempts, changed, before } = await reprice(dearer);
      assert.deepEqual([changed, before], [attempts, 0]);
      assert.deepEqual(await wrong(), []);
    });
  });
