import type { Server } from "node:http";
import { createServer } from "../../runtime/network/node-http.ts";

/** Serves only the metrics, on a separate address for the operator. `read` gives them in Prometheus' text format. */
export function serveMetrics(read: () => Promise<string>): Server {
  return createServer((request, response) => {
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
