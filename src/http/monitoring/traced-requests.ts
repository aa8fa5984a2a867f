import type { IncomingMessage } from "node:http";
import type { BoundOperation } from "../../declare/operation.ts";
import { type Tracer, withSpan } from "../../runtime/trace.ts";
import type { Serve } from "../pipeline.ts";

/**
 * Wraps `serve` in a span for each request. The span names the route and not the URL, because a URL may name a person.
 * A trace id may do so as well, so only a trusted proxy's id is accepted.
 */
export function tracedRequests(
  tracer: Tracer,
  isFromProxy: (request: IncomingMessage) => boolean,
  operation: BoundOperation,
  serve: Serve,
): Serve {
  const { id, path } = operation;
  const name = `${operation.method} ${path}`;
  const route = { "duba.operation": id, "http.route": path };
  return (request, response, requestId, input) => {
    const { method, headers } = request;
    const traceparent = isFromProxy(request) ? headers.traceparent : undefined;
    const span = tracer.request(name, typeof traceparent === "string" ? traceparent : undefined, {
      ...route,
      "http.request.method": method!,
      "duba.request_id": requestId,
    });
    response.once("close", () => {
      if (!response.writableEnded) span.end({ "error.type": "caller_left" });
      else span.end({ "http.response.status_code": response.statusCode }, response.statusCode >= 500);
    });
    withSpan(span, () => serve(request, response, requestId, input));
  };
}
