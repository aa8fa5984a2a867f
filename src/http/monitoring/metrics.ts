import { createServer, type Server } from "node:http";
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { AnswerCounts } from "./answer-counts.ts";

export interface MetricSources {
  answers: AnswerCounts;
  /** Names, states and alarms of the live upstreams. */
  upstreams: () => readonly { name: string; state: string; alarm: string | null }[];
  /** Current faults of the audit trail. */
  auditAlarms: () => readonly string[];
}

/** Labels come from short fixed lists: never a caller, a person or text from a request. */
function metrics({ answers, upstreams, auditAlarms }: MetricSources): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Counter({
    name: "duba_answers_total",
    help: "Answers by operation, mode of the key, HTTP status and outcome: ok, not_modified or the failure's code",
    labelNames: ["operation", "mode", "status", "outcome"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { count, ...labels } of answers.all()) this.inc(labels, count);
    },
  });
  new Gauge({
    name: "duba_upstream_ready",
    help: "1 while we call the identity source, 0 while it is paused",
    labelNames: ["upstream"],
    registers: [registry],
    collect() {
      for (const { name, state } of upstreams()) this.set({ upstream: name }, state === "ready" ? 1 : 0);
    },
  });
  new Gauge({
    name: "duba_upstream_alarm",
    help: "1 while the identity source refuses all work until the operator acts",
    labelNames: ["upstream", "alarm"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { name, alarm } of upstreams()) if (alarm) this.set({ upstream: name, alarm }, 1);
    },
  });
  new Gauge({
    name: "duba_audit_alarm",
    help: "1 while the audit trail is not sealed, or is not what its anchor names",
    labelNames: ["alarm"],
    registers: [registry],
    collect() {
      this.reset();
      for (const alarm of auditAlarms()) this.set({ alarm }, 1);
    },
  });
  return registry;
}

/** Serves only the metrics, on a separate address for the operator. */
export function metricsServer(sources: MetricSources): Server {
  const registry = metrics(sources);
  return createServer((request, response) => {
    if (request.url !== "/metrics" || request.method !== "GET") {
      response
        .writeHead(404, { "Content-Type": "text/plain; charset=utf-8" })
        .end("GET /metrics is all that is here.\n");
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { "Content-Type": registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
}
