import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { checkBooks } from "../crash/books.ts";
import { Client, Life, LostReferenceError } from "../crash/clients.ts";
import { fees, liveStore, ServiceProcess } from "../crash/service.ts";
import { peerVendor } from "../crash/vendors.ts";
import type { Engine } from "../support/engines.ts";
import { ask } from "../support/service.ts";
import { steadyLoad } from "../support/steady-load.ts";
import { PatroniCluster } from "./patroni-cluster.ts";
import { harms } from "./patroni-node.ts";

/** Milliseconds after the loss of the leader within which verifications must resume. */
const longestOutage = 15_000;
const bootstrap = "a-known-sandbox-key-for-crashes";

/** Harms the leader under load, round after round, and finally compares ledger, vendor and clients. */
export async function patroniTrial({ rounds, logs }: { rounds: number; logs?: string }): Promise<object> {
  await using begun = new AsyncDisposableStack();
  const cluster = begun.use(await PatroniCluster.start(logs));
  const seed = "patroni";
  const vendor = await peerVendor({ seed, manners: { prompt: 90, slow: 10 }, negatives: 10 });
  begun.defer(() => vendor.stop());
  const place = async () => ({
    settings: { dataDirectory: "/nonexistent/duba-patroni", databaseUrl: cluster.url },
    dispose: async () => {},
  });
  const engine: Engine = { name: "postgres", fresh: place, ready: place };
  const live = await liveStore(engine, vendor, 2);
  begun.defer(() => live.dispose());
  const services = [new ServiceProcess(live.environment), new ServiceProcess(live.environment)];
  begun.defer(async () => void (await Promise.all(services.map((service) => service.kill()))));
  const ports = await Promise.all(services.map(({ ready }) => ready));
  const world = { seed, vendor, hasLeases: true };
  const clients = Array.from({ length: 4 }, (_, n) => new Client(world, n, live.keys[n % 2]!));
  const lifeOf = (unsettled: Client["wanted"] = []) => {
    const life = new Life(ports[0]!, unsettled, ports[1]!);
    // Any response may come from a time without a leader.
    life.storeWasAway = true;
    return life;
  };
  const lookUps = steadyLoad(
    () => ports[Math.floor(Math.random() * 2)]!,
    4,
    () => ({ path: "/api/v2/corporate-data/list", options: { credential: bootstrap } }),
    { pauseFor: 25 },
  );
  begun.defer(() => lookUps.stop());
  const table: object[] = [];
  let longest = 0;
  const turn = async (round: number) => {
    const harm = harms[(round - 1) % harms.length]!;
    const life = lifeOf();
    const load = Promise.all(clients.map((client) => client.load(life)));
    load.catch(() => undefined);
    await pause(1000);
    const leader = await cluster.leader();
    const at = performance.now();
    await leader.harm(harm);
    const resuming = ports.map((port) => untilVerified(port, at));
    await pause(1000);
    // Further load would leave thousands of keys to settle.
    life.isOver = true;
    const [outages, recovered] = await Promise.all([Promise.all(resuming), cluster.recovered(leader, at)]);
    await load;
    // A leader that returns must undo nothing.
    const after = lifeOf(clients.flatMap(({ unsettled }) => unsettled));
    const loadAfter = Promise.all(clients.map((client) => client.load(after)));
    loadAfter.catch(() => undefined);
    leader.heal(harm);
    await pause(3000);
    after.isOver = true;
    await loadAfter;
    const next = lifeOf(clients.flatMap(({ unsettled }) => unsettled));
    await Promise.all(clients.map((client) => client.retry(next)));
    await cluster.whole();
    const rows = await live.store.db.selectFrom("verification").select("reference").execute();
    const held = new Set(rows.map(({ reference }) => reference));
    for (const wanted of clients.flatMap((client) => client.wanted))
      if (wanted.reference && !held.has(wanted.reference)) throw new LostReferenceError("A row was lost", wanted);
    const lostProbes = probed.filter((reference) => !held.has(reference));
    assert.deepEqual(lostProbes, [], "verifications that were answered while the leader was away are lost");
    const figures = {
      harm,
      leader: `${leader.name} → ${(await cluster.leader()).name}`,
      "promoted after, ms": recovered.promoted,
      "takes writes after, ms": recovered.writable,
      "verifies again after, ms": Math.max(...outages),
      "whole again after, ms": Math.round(performance.now() - at),
      verifications: clients.reduce((sum, { wanted }) => sum + wanted.length, 0),
      "look-ups": JSON.stringify(Object.fromEntries(lookUps.seen)),
    };
    table.push(figures);
    console.log(round, figures);
    longest = Math.max(longest, ...outages);
  };
  for (let round = 1; round <= rounds; round += 1) await turn(round).catch((error) => explain(error, cluster));
  await lookUps.stop();
  console.table(table);
  assert.deepEqual([...lookUps.seen.keys()], ["200"], "a look-up failed");
  const calls = await vendor.calls();
  const final = lifeOf();
  await Promise.all(clients.map((client) => client.repeat(final)));
  assert.equal((await vendor.calls()).length, calls.length, "what was answered once is not asked for again");
  await Promise.all(services.map(async (service) => assert.equal(await service.stop(), 0)));
  for (const client of clients) client.close();
  const wanted = clients.flatMap((client) => client.wanted);
  const { acknowledged, chargedKobo, vendorCalls } = await checkBooks(live.store.db, fees, wanted, calls, vendor);
  assert.ok(longest <= longestOutage, `verifications resumed after ${longest} ms, and all other promises were kept`);
  return {
    rounds,
    "longest without verifications, ms": longest,
    acknowledged,
    chargedKobo,
    vendorCalls,
    "look-ups": lookUps.seen.get("200"),
  };
}

/** Adds the rows of every node to the error about a lost reference. */
async function explain(error: unknown, cluster: PatroniCluster): Promise<never> {
  if (!(error instanceof LostReferenceError)) throw error;
  const held = await cluster.askEach(
    `select v.reference, v.state, v.run, v.owner, v.charged, v.idempotency_hash, v.request_id,
       to_timestamp(v.created_at / 1000.0) as created, to_timestamp(v.started_at / 1000.0) as started,
       pg_is_in_recovery() as follows
     from verification v where v.reference = any($1) or v.idempotency_hash in
       (select idempotency_hash from verification where reference = any($1))`,
    [error.references],
  );
  throw new Error(`${error.message}\nWhat each node holds: ${JSON.stringify(held, undefined, 2)}`, { cause: error });
}

let probes = 0;
/** The references in the responses to probes. */
const probed: string[] = [];

/** Milliseconds from `at` to the first verification that this instance accepts and finishes. */
async function untilVerified(port: number, at: number): Promise<number> {
  // Requests that run already may still succeed. Later requests cannot, until there is another leader.
  await pause(200);
  for (;;) {
    probes += 1;
    const body = { bvn: String(23_000_000_000 + probes), phone: "08000000017", amount: "100" };
    const options = { method: "POST", credential: bootstrap, body };
    const response = await ask(port, "/api/v2/kyc/verify-bvn", options).catch(() => undefined);
    if (response?.status === 200) probed.push(response.json.data.request_reference);
    if (response?.status === 200) return Math.round(performance.now() - at);
    if (performance.now() - at > 60_000) return Math.round(performance.now() - at);
    await pause(100);
  }
}
