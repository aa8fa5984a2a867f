import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import pg from "pg";
import { StoreAway } from "../storage/errors.ts";
import { engines, failureFrom, newRequest, suiteStore, until } from "../verification/identity.fixture.ts";
import { onlyRow } from "../verification/ledger.fixture.ts";
import { answering, PlayedUpstream, verified } from "../verification/played-upstream.fixture.ts";
import { storeSpending } from "./ledger-rows.fixture.ts";

// Only PostgreSQL, because on SQLite transactions run one after another, so nobody holds a row.
const engine = engines.find(({ name }) => name === "postgres")!;

suite("while somebody holds a row of the ledger on PostgreSQL", () => {
  const store = suiteStore(engine);
  before(() => store.serve());

  /** Holds a row until the returned function is called. */
  async function hold(statement: string, values: string[]): Promise<() => Promise<void>> {
    const client = new pg.Client({ connectionString: store.settings.databaseUrl });
    await client.connect();
    await client.query("begin");
    assert.equal((await client.query(statement, values)).rowCount, 1);
    return () => client.end();
  }
  const holdRow = (reference: string) =>
    hold("update verification set charge_mark = charge_mark where reference = $1", [reference]);

  test("while a row is locked, only retries of its key wait, and other verifications go on", async (t) => {
    const { upstream } = answering(verified);
    const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
    const mine = newRequest({ idempotencyKey: "held" });
    await identity.verify(mine);
    const release = await holdRow((await onlyRow(store.db, mine)).reference);
    const others = Array.from({ length: 29 }, (_, n) => newRequest({ idempotencyKey: `k-${n}` }));
    const [retry, ...strangers] = await Promise.allSettled([
      failureFrom(identity.verify(mine)),
      ...others.map((other) => identity.verify(other)),
    ]);
    assert.deepEqual(
      strangers.map((one) => (one.status === "rejected" ? String(one.reason) : one.status)),
      strangers.map(() => "fulfilled"),
    );
    assert.equal(retry.status === "fulfilled" && retry.value.code, "request_in_progress");
    await release();
    assert.equal((await identity.verify(mine)).replayed, true);
  });

  test("in a batch of outcomes, only the outcome of the locked row waits", async (t) => {
    const upstream = new PlayedUpstream();
    const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
    const all = Array.from({ length: 30 }, (_, n) => newRequest({ idempotencyKey: `k-${n}` }));
    const calls = all.map((one) => identity.verify(one));
    await upstream.asked(30);
    const release = await holdRow((await onlyRow(store.db, all[7]!)).reference);
    for (const [n, attempt] of upstream.received.entries()) upstream.answer(await verified(attempt), n + 1);
    let isHeldAnswered = false;
    const held = calls[7]!.finally(() => {
      isHeldAnswered = true;
    });
    await Promise.all(calls.filter((_, n) => n !== 7));
    assert.equal(isHeldAnswered, false);
    await release();
    assert.equal((await held).replayed, false);
    assert.equal((await onlyRow(store.db, all[7]!)).charged, 1);
  });

  test("a new key is never reported as running, even while the whole table is locked", async (t) => {
    const { upstream, received } = answering(verified);
    const identity = await store.open(t, { upstreams: { test: upstream, live: [] } });
    const client = new pg.Client({ connectionString: store.settings.databaseUrl });
    await client.connect();
    await client.query("begin; lock table verification in exclusive mode");
    const fresh = Array.from({ length: 20 }, (_, n) => newRequest({ idempotencyKey: `fresh-${n}` }));
    let isHeld = true;
    // Writes to another table show that the server works.
    const others = (async () => {
      while (isHeld)
        await store.db.updateTable("spending").set({ kobo: 0 }).where("account_id", "=", "nobody").execute();
    })();
    const told = await Promise.all(fresh.map((one) => identity.verify(one).catch((error: unknown) => error)));
    isHeld = false;
    await others;
    await client.end();
    assert.deepEqual(
      told.map((error) => (error as Error).name),
      told.map(() => "StoreAway"),
    );
    assert.equal(received.length, 0);
    for (const one of fresh) assert.equal((await identity.verify(one)).replayed, false);
  });

  test("an idempotency key gives an error while another process writes its row, and works afterwards", async (t) => {
    const identity = await store.open(t, { upstreams: { test: answering(verified).upstream, live: [] } });
    const mine = newRequest({ idempotencyKey: "being written" });
    await identity.verify(mine);
    const { reference } = await onlyRow(store.db, mine);
    // Plays the insert of another process that has not committed yet.
    const client = new pg.Client({ connectionString: store.settings.databaseUrl });
    await client.connect();
    const copy = "create temporary table copy as select * from verification where reference = $1";
    await client.query(copy, [reference]);
    await client.query("delete from verification where reference = $1", [reference]);
    await client.query("begin");
    await client.query("insert into verification select * from copy");
    await assert.rejects(identity.verify(mine), { name: "StoreAway" });
    await client.query("rollback");
    await client.end();
    assert.equal((await identity.verify(mine)).replayed, false);
  });

  test("calls of an account whose balance is locked leave store connections for other accounts", async (t) => {
    const identity = await store.open(t, {
      upstreams: { test: answering(verified).upstream, live: [answering(verified).upstream] },
    });
    const accountId = "acc_prepaid";
    await storeSpending(store.db, accountId, { most_kobo: 90_000_000 });
    const release = await hold("update spending set kobo = kobo where account_id = $1", [accountId]);
    const prepaid = Array.from({ length: 60 }, (_, n) =>
      newRequest({
        accountId,
        mode: "live",
        terms: { prepaid: true, inFlight: 60 },
        idempotencyKey: `p-${n}`,
        number: String(22_000_100_000 + n),
      }),
    );
    const waiting = prepaid.map((one) => identity.verify(one).catch((error: unknown) => error));
    const connections = () => store.usage.connections();
    await until(() => connections().busy >= store.connections / 2);
    for (let n = 0; n < 20; n += 1) {
      await identity.verify(newRequest());
      // The account has half of the connections. This verification and the jobs of the process use further ones.
      assert.ok(connections().busy < store.connections, JSON.stringify(connections()));
    }
    await release();
    // On a slow machine a caller may have waited too long. The statement of such a caller certainly did nothing.
    for (const answer of await Promise.all(waiting))
      if (answer instanceof Error) assert.ok(answer instanceof StoreAway && !answer.isUncertain, String(answer));
    for (const one of prepaid) assert.ok((await identity.verify(one)).record);
    const { kobo } = await store.db
      .selectFrom("spending")
      .select("kobo")
      .where("account_id", "=", accountId)
      .executeTakeFirstOrThrow();
    assert.equal(kobo, prepaid.length * 10_000);
  });
});
