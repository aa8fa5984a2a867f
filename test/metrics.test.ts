import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { suite, test } from "node:test";
import { AnswerCounts } from "../src/http/monitoring/answer-counts.ts";
import { metricsServer } from "../src/http/monitoring/metrics.ts";
import { ask, startService } from "./support/service.ts";

suite("metrics", () => {
  test("count the answers of each operation by mode and outcome, and name nobody", async () => {
    const service = await startService({ DUBA_METRICS: "127.0.0.1:0" });
    try {
      await service.ask("/api/v2/corporate-data/list");
      await service.ask("/api/v2/internet/data/lookup?provider=MTNDATA", { credential: false });
      await service.ask("/api/v2/internet/data/lookup?provider=NOSUCHCODE");
      const body = { bvn: "22000000017", phone: "08000000017", amount: "100" };
      await service.ask("/api/v2/kyc/verify-bvn", { method: "POST", body });
      await service.ask("/api/v2/kyc/verify-bvn", { method: "POST", body, credential: "wrong" });
      await service.ask("/no/such/path");
      await new Promise<void>((resolve) => service.metrics!.listen(0, "127.0.0.1", resolve));
      const { port } = service.metrics!.address() as AddressInfo;
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
    } finally {
      await service.close();
    }
  });

  test("show the state and the alarm of each upstream", async () => {
    const upstreams = () => [
      { name: "first", state: "ready", alarm: null },
      { name: "second", state: "open", alarm: "no_money" },
    ];
    const server = metricsServer({ answers: new AnswerCounts(), upstreams, auditAlarms: () => ["anchor"] });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { text } = await ask((server.address() as AddressInfo).port, "/metrics");
    server.close();
    assert.match(text, /^duba_upstream_ready\{upstream="first"\} 1$/m);
    assert.match(text, /^duba_upstream_ready\{upstream="second"\} 0$/m);
    assert.match(text, /^duba_audit_alarm\{alarm="anchor"\} 1$/m);
    assert.match(text, /^duba_upstream_alarm\{upstream="second",alarm="no_money"\} 1$/m);
  });
});
