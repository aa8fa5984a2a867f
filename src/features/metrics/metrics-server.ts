import { type HttpServer, openServer } from "../../http/shell/open-server.ts";
import type { Log } from "../../runtime/log.ts";

const bounds = { arrival: 10_000, connections: { most: 200, answer: 30_000 } };

/**
 * Serves only the metrics, on a separate address for the operator. `read` returns the metrics in Prometheus' text
 * format.
 */
export function serveMetrics(read: () => Promise<string>, log: Log): HttpServer {
  return openServer(bounds, log, (request, response) => {
    if (request.url !== "/metrics" || request.method !== "GET") {
      response
        .writeHead(404, { "Content-Type": "text/plain; charset=utf-8" })
        .end("GET /metrics is all that is here.\n");
      return;
    }
    read().then(
      (text) => response.writeHead(200, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" }).end(text),
      () => response.writeHead(500).end(),
    );
  });
}
