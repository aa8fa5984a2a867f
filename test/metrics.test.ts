import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type MetricSources, metricsServer, type StoredFigures } from "../src/features/metrics/metrics.ts";
import { ResponseCounts } from "../src/http/monitoring/response-counts.ts";
import { Durations } from "../src/runtime/duration-histogram.ts";
import { RecordedLog } from "../src/runtime/recorded-log.fixture.ts";
import { noteBackup } from "../src/storage/last-backup.ts";
import { VendorAttempts } from "../src/vendors/vendor-attempts.ts";
import { engines } from "./support/engines.ts";
import { ask, startService } from "./support/service.ts";

suite("metrics", () => {
  test("metrics count the answers of each operation by mode and outcome, and name nobody", async () => {
    await using service = await startService({ DUBA_METRICS: "127.0.0.1:0" });
    await service.ask("/api/v2/corporate-data/list");
    await service.ask("/api/v2/internet/data/lookup?provider=MTNDATA", { credential: false });
    await service.ask("/api/v2/internet/data/lookup?provider=NOSUCHCODE");
    await service.verify();
    await service.verify({ credential: "wrong" });
    await service.ask("/no/such/path");
    const port = await service.metrics!.listen();
    const { status, text, headers } = await ask(port, "/metrics");
    assert.equal(status, 200);
    assert.match(String(headers["content-type"]), /^text\/plain; version=0\.0\.4/);
    for (const line of [
      'duba_answers_total{operation="listCorporateBundles",mode="test",status="200",outcome="ok"} 1',
      'duba_answers_total{operation="lookupDataBundles",mode="none",status="200",outcome="ok"} 1',
      'duba_answers_total{operation="lookupDataBundles",mode="test",status="404",outcome="provider_not_found"} 1',
      'duba_answers_total{operation="verifyBvn",mode="test",status="200",outcome="ok"} 1',
      'duba_answers_total{operation="verifyBvn",mode="none",status="401",outcome="invalid_credentials"} 1',
      'duba_answers_total{operation="none",mode="none",status="404",outcome="route_not_found"} 1',
    ])
      assert.ok(text.includes(line), line);
    assert.match(text, /^process_resident_memory_bytes \d+/m);
    assert.doesNotMatch(text, /22000000017|08000000017|NOSUCHCODE/);
    assert.equal((await ask(port, "/")).status, 404);
  });

  test("metrics show the state, the alarm and the calls of each upstream", async () => {
    const attempts = new VendorAttempts();
    attempts.add("verified");
    attempts.add("no_money");
    attempts.add("no_money");
    attempts.unknownBanks = 3;
    attempts.durations.add(200_000);
    attempts.durations.add(40_000_000);
    const quiet = new VendorAttempts();
    const text = await scraped({
      upstreams: () => [
        { name: "first", state: "ready", alarm: null, kinds: ["bvn", "nin"], paused: ["nin"], attempts: quiet },
        { name: "second", state: "open", alarm: "no_money", kinds: ["bvn"], paused: [], attempts },
      ],
      auditAlarms: () => ["anchor"],
      failingJobs: () => [{ name: "deliver events" }],
    });
    for (const line of [
      'duba_upstream_ready{upstream="first"} 1',
      'duba_upstream_ready{upstream="second"} 0',
      'duba_upstream_paused{upstream="first",kind="bvn"} 0',
      'duba_upstream_paused{upstream="first",kind="nin"} 1',
      'duba_live_vendors{kind="bvn"} 1',
      'duba_live_vendors{kind="nin"} 0',
      'duba_audit_alarm{alarm="anchor"} 1',
      'duba_job_failing{job="deliver events"} 1',
      'duba_accounts_nearly_spent{terms="cap"} 2',
      'duba_accounts_nearly_spent{terms="balance"} 1',
      'duba_upstream_alarm{upstream="second",alarm="no_money"} 1',
      'duba_upstream_calls_total{upstream="second",outcome="verified"} 1',
      'duba_upstream_calls_total{upstream="second",outcome="no_money"} 2',
      'duba_upstream_unknown_banks_total{upstream="first"} 0',
      'duba_upstream_unknown_banks_total{upstream="second"} 3',
      'duba_upstream_call_duration_seconds_bucket{upstream="second",le="0.1"} 0',
      'duba_upstream_call_duration_seconds_bucket{upstream="second",le="0.25"} 1',
      'duba_upstream_call_duration_seconds_bucket{upstream="second",le="30"} 1',
      'duba_upstream_call_duration_seconds_bucket{upstream="second",le="+Inf"} 2',
      'duba_upstream_call_duration_seconds_sum{upstream="second"} 40.2',
      'duba_upstream_call_duration_seconds_count{upstream="second"} 2',
    ])
      assert.ok(text.split("\n").includes(line), line);
  });

  test("metrics show figures of the store, or that it is away", async () => {
    const at = 1_000_000_000;
    const figures: StoredFigures = {
      openVerifications: [
        { mode: "live", state: "unknown", count: 3, since: at - 7_200_000 },
        { mode: "test", state: "started", count: 1, since: at - 1000 },
      ],
      heldChanges: 2,
      unsealed: { count: 5, oldest: at - 90_000 },
      lastBackupAt: null,
      alarms: ["backup", "vendor:dojah", "vendor:peer"],
      vendors: [
        {
          ...{ vendor: "dojah", kind: "bvn", span: "24h", attempts: 20, answers: 16, foundRate: 75, failureShare: 20 },
          ...{ median: 250, p95: null, cost: 90_000, costPerFound: 6_000 },
          balance: 45_000,
          attemptsLeft: 10,
          daysLeft: 0.5,
          state: null,
          since: null,
          pause: undefined,
        },
      ],
      undelivered: { waiting: 7, dead: 1, oldest: at - 45_000 },
    };
    const catalogue = () => ({
      revision: 7,
      publishedAt: at - 60_000,
      confirmedAt: at - 500,
      sources: [
        { source: "ebills", asOf: at - 30_000, isStale: false },
        { source: "baxi", asOf: null, isStale: true },
      ],
    });
    const held = await scraped({ now: () => at, stored: async () => figures, catalogue });
    for (const line of [
      'duba_ledger_open_verifications{mode="live",state="unknown"} 3',
      'duba_ledger_open_oldest_seconds{mode="live",state="unknown"} 7200',
      'duba_ledger_open_oldest_seconds{mode="test",state="started"} 1',
      "duba_catalogue_revision 7",
      "duba_catalogue_published_seconds 60",
      "duba_catalogue_confirmed_seconds 0.5",
      'duba_catalogue_as_of_seconds{source="ebills"} 30',
      'duba_catalogue_stale{source="ebills"} 0',
      'duba_catalogue_as_of_seconds{source="baxi"} +Inf',
      'duba_catalogue_stale{source="baxi"} 1',
      "duba_catalogue_held_changes 2",
      "duba_audit_unsealed_entries 5",
      "duba_audit_unsealed_oldest_seconds 90",
      "duba_backup_age_seconds +Inf",
      'duba_event_deliveries_total{outcome="delivered"} 9',
      'duba_event_deliveries_total{outcome="failed"} 2',
      'duba_event_deliveries_total{outcome="dead"} 1',
      "duba_event_deliveries_waiting 7",
      "duba_event_deliveries_dead 1",
      "duba_event_undelivered_oldest_seconds 45",
      'duba_upstream_found_ratio{upstream="dojah",kind="bvn",span="24h"} 0.75',
      'duba_upstream_median_seconds{upstream="dojah",kind="bvn",span="24h"} 0.25',
      'duba_upstream_cost_per_found_naira{upstream="dojah",kind="bvn",span="24h"} 60',
      'duba_upstream_days_left{upstream="dojah",span="24h"} 0.5',
      'duba_upstream_balance_naira{upstream="dojah"} 450',
      "duba_store_up 1",
      'duba_store_connections{state="busy"} 2',
      'duba_store_connections{state="idle"} 8',
      "duba_store_waiting 4",
      'duba_request_log_answers_total{outcome="over_budget"} 6',
    ])
      assert.ok(held.split("\n").includes(line), line);
    assert.doesNotMatch(held, /^duba_upstream_p95_seconds\{/m);
    const away = await scraped({ stored: () => Promise.reject(new Error("away")) });
    assert.match(away, /^duba_store_up 0$/m);
    const readOnly = { ...figures, alarms: ["store"] };
    assert.match(await scraped({ now: () => at, stored: async () => readOnly, catalogue }), /^duba_store_up 0$/m);
    assert.match(away, /^duba_catalogue_revision 1$/m);
    assert.doesNotMatch(
      away,
      /^duba_(?:ledger|backup|audit_unsealed|catalogue_held|event_deliveries_(?:dead|waiting))\w*[ {]/m,
    );
  });
});

/** A metric as features declare it. */
function outcomes(name: string, counts: Record<string, number>): MetricSources["ofFeatures"][number] {
  const values = () => Object.entries(counts).map(([outcome, count]) => [{ outcome }, count] as const);
  return { name, type: "counter", help: "Counts by outcome.", values };
}

/** The text of a scrape. */
async function scraped(sources: Partial<MetricSources>): Promise<string> {
  const server = metricsServer(
    {
      answers: new ResponseCounts(),
      upstreams: () => [],
      auditAlarms: () => [],
      failingJobs: () => [],
      nearlySpent: () => ({ cap: 2, balance: 1 }),
      ofFeatures: [
        outcomes("event_deliveries_total", { delivered: 9, failed: 2, dead: 1 }),
        outcomes("request_log_answers_total", { written: 5, over_budget: 6, lost: 7 }),
      ],
      catalogue: () => ({ revision: 1, publishedAt: 0, confirmedAt: 0, sources: [] }),
      usage: { commits: new Durations(), connections: () => ({ busy: 2, idle: 8, waiting: 4 }) },
      stored: async () => ({
        openVerifications: [],
        heldChanges: 0,
        sources: [],
        unsealed: { count: 0, oldest: null },
        lastBackupAt: null,
        alarms: [],
        vendors: [],
        undelivered: { waiting: 0, dead: 0, oldest: null },
      }),
      now: Date.now,
      ...sources,
    },
    new RecordedLog(),
  );
  const { text } = await ask(await server.listen({ host: "127.0.0.1", port: 0 }), "/metrics");
  await server.close();
  return text;
}

for (const engine of engines)
  suite(`the metrics of a store on ${engine.name}`, () => {
    test("metrics show open verifications, backups, unsealed entries and held changes of the store", async () => {
      await using service = await startService({ DUBA_METRICS: "127.0.0.1:0" }, engine);
      const port = await service.metrics!.listen();
      assert.equal((await service.verify({ bvn: "00000000006" })).status, 504);
      assert.equal((await service.verify({ bvn: "00000000016" })).status, 500);
      const { db } = await service.store();
      await noteBackup(db, "0".repeat(64), Date.now());
      const { text } = await ask(port, "/metrics");
      assert.match(text, /^duba_ledger_open_verifications\{mode="test",state="unknown"\} 1$/m);
      assert.match(text, /^duba_ledger_open_oldest_seconds\{mode="test",state="unknown"\} \d{1,2}(?:\.\d+)?$/m);
      assert.match(text, /^duba_backup_age_seconds \d{1,2}(?:\.\d+)?$/m);
      assert.match(text, /^duba_store_up 1$/m);
      assert.match(text, /^duba_audit_unsealed_entries \d+$/m);
      assert.match(text, /^duba_catalogue_held_changes 0$/m);
      assert.match(text, /^duba_catalogue_revision 1$/m);
      // The intent and the outcome, at least.
      assert.ok(Number(/^duba_store_commit_duration_seconds_count (\d+)$/m.exec(text)![1]) >= 2);
      const responses = /^duba_answer_duration_seconds_count\{operation="verifyBvn",mode="test"\} 2$/m;
      assert.match(text, responses);
      const asked = 'duba_answers_total{operation="verifyBvn",mode="test",status="500",outcome=';
      assert.ok(text.includes(`${asked}"rehearsed"} 1\n`) && text.includes(`${asked}"internal_error"} 0\n`), text);
    });
  });
