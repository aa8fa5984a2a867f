import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { openStore, type Store } from "../src/storage/store.ts";
import { ran } from "./support/command-line.ts";
import { type Engine, engines, type Fresh } from "./support/engines.ts";
import { nodeEnvironment, serveInProcess, serveProgram } from "./support/process.ts";
import { sandboxKey, verifyAt } from "./support/service.ts";
import { until } from "./support/until.ts";
import { copyWithout, listed } from "./support/without-features.ts";

const hour = 3_600_000;
const day = 24 * hour;
const old = "22000000017";
const young = "22000000018";
const tableNames = ["api_request", "event", "event_delivery", "record_key"] as const;

suite("a store that every feature filled", { concurrency: true }, () => {
  const copy = copyWithout(listed.filter(({ folder }) => folder !== "features/data-subjects"));
  after(() => copy[Symbol.asyncDispose]());
  for (const engine of engines) onEngine(engine, join(copy.place, "src/main.ts"));
});

function onEngine(engine: Engine, program: string): void {
  suite(`under a build without them on ${engine.name}`, { concurrency: 1 }, () => {
    let place: Fresh;
    let store: Store;
    let environment: Record<string, string>;
    let references: Record<string, string>;
    before(async () => {
      place = await engine.ready();
      const { dataDirectory, databaseUrl = "" } = place.settings;
      environment = {
        DUBA_DATA: dataDirectory,
        DUBA_DATABASE_URL: databaseUrl,
        DUBA_BOOTSTRAP_KEY: sandboxKey,
        DUBA_LIMITS: "off",
        DUBA_EVENT_NETWORKS: "127.0.0.0/8",
      };
      references = await filled(environment);
      store = await openStore({ ...place.settings, serving: false });
    });
    after(async () => {
      await store.close();
      await place.dispose();
    });

    const rowOf = (bvn: string) =>
      store.db
        .selectFrom("verification")
        .selectAll()
        .where("reference", "=", references[bvn]!)
        .executeTakeFirstOrThrow();
    const counts = async () => {
      const counted = tableNames.map(async (table) => {
        const { rows } = await store.db
          .selectFrom(table)
          .select(({ fn }) => fn.countAll<number>().as("rows"))
          .executeTakeFirstOrThrow();
        return [table, Number(rows)] as const;
      });
      return Object.fromEntries(await Promise.all(counted));
    };

    test("retention deletes only expired rows of a table, even if the table's feature is left out", async () => {
      const whole = await counts();
      assert.deepEqual(whole, { api_request: 2, event: 3, event_delivery: 2, record_key: 2 });
      await age(store, references[old]!);
      const service = await serveProgram(process.execPath, [program, "serve"], environment);
      const left = { api_request: 1, event: 1, event_delivery: 1, record_key: 1 };
      try {
        await until(async () => {
          const now = await counts();
          return tableNames.every((table) => now[table]! <= left[table]);
        }, 100_000);
      } finally {
        await service.end("SIGTERM");
      }
      assert.deepEqual(await counts(), left);
      const { idempotency_hash, sealed_record, charged } = await rowOf(old);
      assert.deepEqual([idempotency_hash, sealed_record, charged], [null, null, 1]);
      const kept = await rowOf(young);
      assert.ok(kept.idempotency_hash && kept.sealed_record);
      const { reference } = await store.db.selectFrom("api_request").select("reference").executeTakeFirstOrThrow();
      assert.equal(reference, references[young]);
    });

    test("without some features, an erasure still removes the person, and keeps the charge", async () => {
      const before = await rowOf(young);
      const erase = [program, "subjects", "erase", "--yes"];
      const { status, stderr } = spawnSync(process.execPath, erase, {
        env: { ...nodeEnvironment, ...environment },
        input: young,
        encoding: "utf8",
      });
      assert.equal(status, 0, stderr);
      assert.deepEqual(await rowOf(young), {
        ...before,
        subject_hash: "erased",
        subject_last4: "erased",
        consent_reference: null,
        body_hash: null,
        lasting_idempotency_hash: null,
        sealed_record: null,
      });
      assert.equal(before.charged, 1);
      assert.equal((await counts()).record_key, 0);
    });
  });
}

/**
 * Runs the whole product: it publishes its catalogue, verifies two people, notes both requests and tries to deliver the
 * events of two keys to an absent receiver. Returns the references of the verifications by the number.
 */
async function filled(environment: Record<string, string>): Promise<Record<string, string>> {
  const service = await serveInProcess(environment);
  const duba = async (...argv: string[]) => {
    const { exitCode, out, err } = await ran([...argv, "--json"], { environment });
    assert.equal(exitCode, 0, err);
    return JSON.parse(out);
  };
  const store = await openStore({
    dataDirectory: environment.DUBA_DATA!,
    databaseUrl: environment.DUBA_DATABASE_URL!,
    serving: false,
  });
  try {
    const references: Record<string, string> = {};
    for (const [key, bvn] of Object.entries({ old, young })) {
      const headers = { "Consent-Reference": `consent-${key}` };
      const { status, text, json } = await verifyAt(service.port, { bvn, key, headers });
      assert.equal(status, 200, text);
      references[bvn] = json.data.request_reference;
    }
    const account = ["--account", "sandbox@example.com"];
    const endpoint = ["http://127.0.0.1:9/", "--mode", "test", "--type", "key.revoked"];
    await duba("events", "endpoints", "add", ...endpoint, ...account);
    for (const label of ["first", "second"]) {
      const { key } = await duba("keys", "create", ...account, "--label", label);
      await duba("keys", "revoke", key.id ?? key, "--yes");
    }
    await until(async () => {
      const tried = store.db.selectFrom("event_delivery").select("number").where("attempts", ">", 0);
      const noted = store.db.selectFrom("api_request").select("serial").where("operation", "=", "verifyBvn");
      return (await tried.execute()).length > 0 && (await noted.execute()).length === 2;
    });
    return references;
  } finally {
    await store.close();
    await service.end("SIGTERM");
  }
}

/**
 * Makes rows older than their retention period: a verification, its request, and all events up to the receiver's first
 * waiting event.
 */
async function age({ db }: Store, reference: string): Promise<void> {
  await db
    .updateTable("verification")
    .set((row) => ({
      created_at: row("created_at", "-", 25 * hour),
      completed_at: row("completed_at", "-", 25 * hour),
    }))
    .where("reference", "=", reference)
    .execute();
  await db
    .updateTable("api_request")
    .set((row) => ({ written_at: row("written_at", "-", 8 * day) }))
    .where("reference", "=", reference)
    .execute();
  const first = db.selectFrom("event_delivery").select(({ fn }) => fn.min("number").as("number"));
  await db
    .updateTable("event")
    .set((row) => ({ at: row("at", "-", 61 * day) }))
    .where("number", "<=", first)
    .execute();
  await db
    .updateTable("event_delivery")
    .set((row) => ({ give_up_at: row("give_up_at", "-", 61 * day) }))
    .where("number", "=", first)
    .execute();
}
