import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { sql } from "kysely";
import type { AuditEvent } from "../../declare/audit-kind.ts";
import { plainText } from "../../declare/command/rich-text.ts";
import { explainRoute as explain } from "../../features/ledger-reports/explain-route.ts";
import { listedRoutes, type RouteSettings } from "../../ledger/identity-settings.ts";
import { noCounts } from "../../ledger/journal/sum-rows.fixture.ts";
import { changeCount } from "../../storage/change-counter.ts";
import { upsert } from "../../storage/queries/upsert.ts";
import { unavailable } from "../../vendors/ports/outcomes.ts";
import { engines, failureFrom, newRequest, suiteStore } from "../identity.fixture.ts";
import { attemptsOf } from "../ledger.fixture.ts";
import { answering, verified } from "../played-upstream.fixture.ts";

const explainRoute = (...asked: Parameters<typeof explain>) => plainText(explain(...asked), { at: String });

const hour = 3_600_000;
const minute = 60_000;

for (const engine of engines)
  suite(`the order by cost on ${engine.name}`, () => {
    const store = suiteStore(engine);
    const clock = { now: Date.now() };
    const names = ["first", "second", "third"];
    const live = names.map((name) => ({ ...answering(verified).upstream, name }));
    const prices = Object.fromEntries(names.map((name) => [name, { bvn: 3_000 }]));

    /** Opens one more process on this store. `lead` also makes the leader's decision. */
    const opened = async (t: TestContext, changes: Partial<RouteSettings> = {}, listed = live) => {
      const events: AuditEvent[] = [];
      const identity = await store.open(t, {
        upstreams: { test: live[0]!, live: listed },
        now: () => clock.now,
        settings: { limits: null, routes: { ...listedRoutes, policy: "cheapest", ...changes }, vendorPrices: prices },
        audit: async (_, ...made) => void events.push(...made),
      });
      const jobOf = (name: string) => identity.jobs.find((job) => job.name === name)!;
      const beat = async () => ({
        askedAt: clock.now,
        access: 0,
        catalogue: 0,
        routes: await changeCount(store.db, "routes"),
        journal: false,
        unsealed: false,
        deliveries: false,
        started: false,
      });
      const follow = async () =>
        jobOf("follow pauses and order of vendors").run(await beat(), new AbortController().signal);
      const lead = async () => {
        const job = jobOf("decide the order of vendors");
        if (job.when!(undefined)) await job.run(undefined, new AbortController().signal);
        await follow();
      };
      const vendorOf = async (more = {}) => {
        const mine = newRequest({ mode: "live", ...more });
        await identity.verify(mine);
        return (await attemptsOf(store.db, mine)).at(-1)!;
      };
      return { identity, events, lead, follow, vendorOf };
    };
    /**
     * Stores the vendors' sums of the last 24 hours and 30 days, with these costs of a record at a price of 30 naira an
     * attempt.
     */
    const did = async (costs: Record<string, number>, changes: Partial<typeof noCounts> = {}, of: string[] = names) => {
      await store.db.deleteFrom("verification_sum").where("vendor", "in", of).execute();
      for (const [vendor, cost] of Object.entries(costs))
        for (const [span, ago] of [
          ["hour", hour],
          ["day", 24 * hour],
        ] as const) {
          const key = { span, begins_at: clock.now - ago, account_id: "a", mode: "live", kind: "bvn", vendor };
          // Enough attempts that the test's own verifications change no figure.
          const all = 90_000;
          const verified = (all * 3_000) / cost;
          const good = { attempts: all, verified, negative: all - verified, within_250ms: all };
          await upsert(store.db, "verification_sum", key, { ...noCounts, ...good, ...changes });
        }
    };
    const forget = () => sql`delete from fact where name like 'route-%'`.execute(store.db);

    test("one process orders the vendors by cost, and all processes keep the order for six hours", async (t) => {
      await forget();
      const [leader, other] = [await opened(t), await opened(t)];
      await did({ first: 9_000, second: 6_000, third: 3_000 });
      assert.equal((await leader.vendorOf()).vendor, "first");
      await leader.lead();
      await other.follow();
      assert.deepEqual([(await leader.vendorOf()).vendor, (await other.vendorOf()).vendor], ["third", "third"]);
      assert.equal((await other.vendorOf({ mode: "test" })).vendor, "first");

      await did({ first: 3_000, second: 6_000, third: 9_000 });
      clock.now += 6 * hour - 1;
      await leader.lead();
      assert.equal((await leader.vendorOf()).vendor, "third");
      clock.now += 10 * minute;
      // Both processes may believe that they lead.
      const decisions = await changeCount(store.db, "routes");
      await Promise.all([leader.lead(), other.lead()]);
      assert.equal(await changeCount(store.db, "routes"), decisions + 1);
      await other.follow();
      assert.equal((await other.vendorOf()).vendor, "first");
      clock.now += 10 * minute;
      await leader.lead();
      const made = [...leader.events, ...other.events].filter(({ kind }) => kind === "route.ordered");
      assert.deepEqual(
        made.map(({ actor, facts }) => [actor, facts]),
        [
          [
            "system",
            {
              kind: "bvn",
              order: "third,second,first",
              before: "first,second,third",
              why: "third: ₦30.00 a record, second: ₦60.00 a record, first: ₦90.00 a record",
            },
          ],
          [
            "system",
            {
              kind: "bvn",
              order: "first,second,third",
              before: "third,second,first",
              why: "first: ₦30.00 a record, second: ₦60.00 a record, third: ₦90.00 a record",
            },
          ],
        ],
      );
    });

    test("an attempt stores the order by cost, which can be told in plain words", async (t) => {
      await forget();
      const { lead, vendorOf } = await opened(t);
      await did({ first: 9_000, second: 6_000, third: 3_000 });
      await lead();
      const asked = await vendorOf();
      assert.equal(
        asked.why,
        "cheapest third@3000/250/0 second@6000/250/0 first@9000/250/0 first=dearer second=dearer",
      );
      assert.equal(
        explainRoute([asked]),
        "third was asked, because first costs more for a record (₦90.00 a record, third ₦30.00 a record) and " +
          "second costs more for a record (₦60.00 a record, third ₦30.00 a record), and gave the record.",
      );
    });

    test("the order by cost puts slow and failing vendors last; one without a price keeps its place", async (t) => {
      await forget();
      const { lead, vendorOf } = await opened(t, { bounds: { p95: 1_000, failures: 5 } });
      await did({ second: 9_000 });
      const slow = { within_250ms: 0, within_2s: 100 };
      const addOf = async (vendor: string, changes: object) => {
        for (const [span, ago] of [
          ["hour", hour],
          ["day", 24 * hour],
        ] as const) {
          const key = { span, begins_at: clock.now - ago, account_id: "a", mode: "live", kind: "bvn", vendor };
          await upsert(store.db, "verification_sum", key, { ...noCounts, attempts: 100, verified: 94, ...changes });
        }
      };
      await addOf("first", slow);
      await addOf("third", { within_250ms: 94, failed: 6 });
      await lead();
      const asked = await vendorOf();
      assert.equal(
        explainRoute([asked]),
        "second was asked, because first was too slow (95 of 100 answers within 2000 ms), and gave the record.",
      );
      prices.first = {} as never;
      clock.now += 10 * minute;
      await addOf("first", { within_250ms: 94, billed_kobo: 0 });
      await lead();
      assert.equal((await vendorOf()).vendor, "first", "its cost is not known, so that it stands where it is listed");
      prices.first = { bvn: 3_000 };
    });

    test("the order by cost follows a new price or a broken bound at once", async (t) => {
      await forget();
      const { events, lead, vendorOf } = await opened(t, { bounds: { p95: 1_000, failures: 5 } });
      await did({ first: 9_000, second: 6_000, third: 3_000 });
      await lead();
      assert.equal((await vendorOf()).vendor, "third");
      // The stored sums still have bills of 30 naira; the new price is 80.
      prices.third = { bvn: 8_000 };
      clock.now += 10 * minute;
      await lead();
      assert.equal((await vendorOf()).vendor, "second");
      assert.match(String(events.at(-1)!.facts.why), /^second: ₦60\.00 a record, third: ₦80\.00 a record, /);
      await did({ first: 9_000, second: 6_000, third: 3_000 }, { within_250ms: 0, within_2s: 90_000 });
      await did({ first: 9_000, third: 3_000 }, {}, ["first", "third"]);
      clock.now += 10 * minute;
      await lead();
      assert.equal((await vendorOf()).vendor, "third");
      prices.third = { bvn: 3_000 };
    });

    test("a process orders its own vendors by cost, and keeps the configured order of others", async (t) => {
      await forget();
      const leader = await opened(t);
      const fourth = { ...answering(verified).upstream, name: "fourth" };
      const other = await opened(t, {}, [fourth, live[0]!, live[2]!]);
      const listed = await opened(t, { policy: "listed" });
      await did({ first: 9_000, second: 6_000, third: 3_000 });
      await leader.lead();
      for (const one of [other, listed]) await one.follow();
      const asked = await other.vendorOf();
      assert.deepEqual([asked.vendor, asked.why?.split(" ")[0]], ["fourth", "cheapest"]);
      const { vendor, why } = await listed.vendorOf();
      assert.deepEqual([vendor, why], ["first", null]);
      assert.equal(
        listed.identity.jobs.find(({ name }) => name === "decide the order of vendors")!.when!(undefined),
        false,
      );
    });

    test("a share comes before the order by cost, and is the same for every retry of a key", async (t) => {
      await forget();
      const away = live.map(({ name }) => ({ ...answering(() => unavailable("out_of_service")).upstream, name }));
      const { identity } = await opened(t, { policy: "listed", shares: [{ vendor: "second", percent: 50 }] }, away);
      const seen = new Set<string>();
      for (let n = 0; n < 30; n += 1) {
        const mine = newRequest({ mode: "live", idempotencyKey: "k" });
        for (const _ of [1, 2]) await failureFrom(identity.verify(mine));
        const attempts = await attemptsOf(store.db, mine);
        const runs = [attempts.slice(0, 3), attempts.slice(3)].map((run) =>
          run.map(({ vendor, why }) => `${vendor} ${why}`).join(),
        );
        assert.equal(runs[0], runs[1]);
        seen.add(runs[0]!);
      }
      assert.deepEqual([...seen].sort(), [
        "first null,second null,third null",
        "second first=share,first null,third null",
      ]);
    });
  });
