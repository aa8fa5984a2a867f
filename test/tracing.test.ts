import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import { json, LocalVendor } from "../src/vendors/local-vendor.fixture.ts";
import { engines, usualEngines } from "./support/engines.ts";
import { startService, type TestService } from "./support/service.ts";

const verify = "/api/v2/kyc/verify-bvn";
const callers = { trace: "4bf92f3577b34da6a3ce929d0e0e4736", span: "00f067aa0ba902b7" };
/** Texts of a caller that no span may hold. */
const canaries = ["22000000417", "8031415926", "canary-key", "canary-query", "canary-baggage", "canary-state"];

interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code: number };
}

/** A collector of traces. */
class Collector {
  readonly bodies: string[] = [];
  readonly #server: Server = createServer(async (request, response) => {
    this.bodies.push(await text(request));
    response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get spans(): SentSpan[] {
    return this.bodies.flatMap((body) =>
      JSON.parse(body).resourceSpans.flatMap((sent: { scopeSpans: { spans: SentSpan[] }[] }) =>
        sent.scopeSpans.flatMap(({ spans }) => spans),
      ),
    );
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

for (const engine of usualEngines)
  suite(`traces on ${engine.name}`, () => {
    let collector: Collector;
    let vendor: LocalVendor;
    let spans: SentSpan[];
    const sent: (string | undefined)[] = [];

    before(async () => {
      collector = new Collector();
      vendor = await LocalVendor.start();
      vendor.behaviour = json(404, { error: "BVN not found" });
      const service = await startService(
        {
          OTEL_EXPORTER_OTLP_ENDPOINT: await collector.listen(),
          DUBA_TRUST_PROXY: "127.0.0.1",
          DUBA_UPSTREAMS: "dojah",
          DUBA_DOJAH_URL: vendor.url,
          DUBA_DOJAH_APP_ID: "app",
          DUBA_DOJAH_KEY: "key",
        },
        engine,
      );
      try {
        await callsOf(service);
      } finally {
        // Sends what is left.
        await service.close();
      }
      sent.push(...vendor.received.map(({ headers }) => headers.traceparent as string | undefined));
      spans = collector.spans;
    });
    after(async () => {
      collector.close();
      await vendor.close();
    });

    async function callsOf(service: TestService): Promise<void> {
      const { text: credential } = await service.newKey({ mode: "live" });
      const headers = {
        traceparent: `00-${callers.trace}-${callers.span}-01`,
        tracestate: "duba=canary-state",
        baggage: "name=canary-baggage",
        "Idempotency-Key": "canary-key-1",
      };
      const body = { bvn: "22000000417", phone: "08031415926", amount: "100" };
      await service.ask(verify, { method: "POST", body, credential, headers });
      await service.ask("/api/v2/internet/data/lookup?provider=MTNDATA&x=canary-query");
      await service.ask("/api/v2/kyc/verifications?idempotency_key=canary-key-1", { credential });
      await service.ask("/api/v2/corporate-data/list", { credential: "canary-key" });
    }

    const named = (name: string) => spans.filter((span) => span.name === name);
    const attributesOf = (span: SentSpan) =>
      Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

    test("each request is one span, which names the route and the status", () => {
      const requests = spans.filter(({ kind }) => kind === 2);
      assert.deepEqual(requests.map(({ name }) => name).sort(), [
        "GET /api/v2/corporate-data/list",
        "GET /api/v2/internet/data/lookup",
        "GET /api/v2/kyc/verifications",
        "POST /api/v2/kyc/verify-bvn",
      ]);
      const [refused] = named("GET /api/v2/corporate-data/list");
      const { "http.response.status_code": status, "duba.operation": operation } = attributesOf(refused!);
      assert.deepEqual([status, operation], [401, "listCorporateBundles"]);
    });

    test("a request is part of a trusted caller's trace; without one it begins a trace", () => {
      const [verified] = named(`POST ${verify}`);
      assert.deepEqual([verified!.traceId, verified!.parentSpanId], [callers.trace, callers.span]);
      const [lookedUp] = named("GET /api/v2/internet/data/lookup");
      assert.notEqual(lookedUp!.traceId, callers.trace);
      assert.ok(!lookedUp!.parentSpanId);
    });

    test("the vendor's call is a span within the request, and the vendor gets its context", () => {
      const [verified] = named(`POST ${verify}`);
      const [called, ...others] = named("vendor call");
      assert.equal(others.length, 0);
      assert.equal(called!.parentSpanId, verified!.spanId);
      assert.deepEqual(sent, [`00-${callers.trace}-${called!.spanId}-01`]);
      assert.equal(attributesOf(called!)["http.response.status_code"], 404);
    });

    test("commits of a verification are spans of the request", () => {
      const [verified] = named(`POST ${verify}`);
      const stored = [...named("transaction"), ...named("commit")].filter(
        ({ parentSpanId }) => parentSpanId === verified!.spanId,
      );
      // The intent and the outcome.
      assert.ok(stored.length >= 2, `${stored.length}`);
      for (const span of stored) assert.match(String(attributesOf(span)["db.system.name"]), /^(sqlite|postgresql)$/);
    });

    test("no span contains a caller's text or a subject", () => {
      const everything = collector.bodies.join("\n");
      assert.ok(everything.includes(callers.trace));
      assert.deepEqual(
        canaries.filter((canary) => everything.includes(canary)),
        [],
      );
    });
  });

test("an untrusted caller's trace id is not sent to the collector, because it may hold anything", async (t) => {
  const collector = new Collector();
  t.after(() => collector.close());
  const service = await startService({ OTEL_EXPORTER_OTLP_ENDPOINT: await collector.listen() });
  const trace = "00000000000000000000022000000417";
  await service.ask("/api/v2/internet/data/lookup", { headers: { traceparent: `00-${trace}-${callers.span}-01` } });
  await service.close();
  assert.equal(collector.spans.length, 1);
  assert.ok(!collector.bodies.join().includes(trace) && collector.spans[0]!.parentSpanId === undefined);
});

suite("without a collector", () => {
  test("without a collector, requests are answered, and the log says once that spans are lost", async () => {
    const service = await startService({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" });
    assert.equal((await service.ask("/api/v2/internet/data/lookup?provider=MTNDATA")).status, 200);
    await service.close();
    assert.equal(service.lines.filter(({ message }) => message.includes("spans")).length, 1);
  });
});

test("tracing without OpenTelemetry's packages ends the start with a sentence", async () => {
  const hook = `import { registerHooks } from "node:module";
    registerHooks({ resolve(name, context, next) {
      if (!name.startsWith("@opentelemetry/sdk")) return next(name, context);
      throw Object.assign(new Error("not installed"), { code: "ERR_MODULE_NOT_FOUND" });
    } });`;
  const { settings, dispose } = await engines[0]!.fresh();
  try {
    const { status, stderr } = spawnSync(
      process.execPath,
      ["--import", `data:text/javascript,${encodeURIComponent(hook)}`, "bin/duba.js", "serve"],
      {
        env: {
          PATH: process.env.PATH,
          DUBA_DATA: settings.dataDirectory,
          PORT: "0",
          OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
        },
        encoding: "utf8",
      },
    );
    assert.equal(status, 2);
    assert.match(stderr, /^OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages of OpenTelemetry are not installed\./);
  } finally {
    await dispose();
  }
});
