import {
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Log } from "../../runtime/log.ts";
import { boundedAgent } from "../../runtime/network/bounded-agents.ts";
import type { Span, SpanAttributes, Tracing } from "../../runtime/trace.ts";

/** Milliseconds for one export, including the last one at a stop. */
const exportTimeout = 3000;
/** Milliseconds between two log lines about lost spans. */
const tellEvery = 60_000;
const kinds = { client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/**
 * Sends spans to a collector with OTLP over HTTP. `endpoint` is its base URL, to which `/v1/traces` is added. Refused
 * spans are lost, which the log reports at most once a minute.
 */
export function openTracing(endpoint: string, version: string, log: Log): Tracing {
  const url = `${endpoint.replace(/\/$/, "")}/v1/traces`;
  const httpAgentOptions = (protocol: string) => boundedAgent(protocol, { keepAlive: true, mostTime: exportTimeout });
  const otlp = new OTLPTraceExporter({ url, timeoutMillis: exportTimeout, httpAgentOptions });
  let toldAt = Number.NEGATIVE_INFINITY;
  const exporter: SpanExporter = {
    export: (spans, done) =>
      otlp.export(spans, (result) => {
        if (result.code !== 0 && performance.now() - toldAt > tellEvery) {
          toldAt = performance.now();
          log.warn({ spans: spans.length }, "the collector did not take spans, which are lost");
        }
        done(result);
      }),
    forceFlush: () => otlp.forceFlush(),
    shutdown: () => otlp.shutdown(),
  };
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": process.env.OTEL_SERVICE_NAME || "duba",
      "service.version": version,
      "service.instance.id": String(process.pid),
    }),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: exportTimeout })],
  });
  const tracer = provider.getTracer("duba", version);
  const begin = (name: string, kind: SpanKind, parent: Context, attributes: SpanAttributes): Span => {
    const span = tracer.startSpan(name, { kind, attributes }, parent);
    return spanOf(span, (name, kind, attributes) =>
      begin(name, kinds[kind], trace.setSpan(ROOT_CONTEXT, span), attributes),
    );
  };
  return {
    request: (name, traceparent, attributes) => begin(name, SpanKind.SERVER, contextOf(traceparent), attributes),
    [Symbol.asyncDispose]: () => provider.shutdown().catch(() => undefined),
  };
}

/** Returns the caller's place in a trace, without its `tracestate` and `baggage`, which are free text. */
function contextOf(traceparent: string | undefined): Context {
  const [, traceId = "", spanId = "", flags = "0"] =
    /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent ?? "") ?? [];
  const spanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
  return isSpanContextValid(spanContext) ? trace.setSpanContext(ROOT_CONTEXT, spanContext) : ROOT_CONTEXT;
}

function spanOf(span: SdkSpan, within: Span["within"]): Span {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`,
    within,
    end(attributes = {}, hasFailed = false) {
      span.setAttributes(attributes);
      if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}
