import { once } from "node:events";
import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { usualKiB } from "../../declare/request-bounds.ts";
import type { Log } from "../../runtime/log.ts";
import { createServer } from "../../runtime/network/node-http.ts";
import { keepAliveSeconds } from "../whole-response.ts";
import { boundConnections, type ConnectionBounds } from "./connections.ts";
import { PipelinedRequests } from "./pipelined-requests.ts";
import { bareRefusal, refuseUnparsed, type UnparsedResponse } from "./unparsed.ts";

export interface ServerBounds {
  /** Most bytes of a request's headers. Default: the usual limit. */
  headers?: number;
  /** Milliseconds for the headers of a request to arrive. */
  arrival: number;
  /** Additional milliseconds for the body. Code that waits for a body gives up sooner, with a response of its own. */
  body?: number;
  connections: ConnectionBounds;
}

/** An HTTP server of Duba. `listen` takes the address to listen on. */
export interface HttpServer {
  readonly server: Server;
  /** Resolves to the server's port, or rejects with Node's error. */
  listen(address: { host: string; port: number }): Promise<number>;
  /** Accepts no more connections and closes idle ones. Resolves when running requests are answered. */
  close(): Promise<void>;
  /** Closes the server with all its connections. */
  end(): Promise<void>;
}

/** How often a server that closes looks for connections that have become idle, in milliseconds. */
const lookForIdle = 20;

/** The one HTTP server for operations, console and metrics, with limits for callers' requests and connections. */
export function openServer(
  { headers = usualKiB.headers * 1024, arrival, body = 2000, connections }: ServerBounds,
  log: Log,
  serve: RequestListener,
  refusal: UnparsedResponse = bareRefusal,
): HttpServer {
  const pipelined = new PipelinedRequests(serve);
  const server = createServer(
    {
      maxHeaderSize: headers,
      // The handlers of this server refuse a bad Host header themselves, with a sentence of Duba's own.
      requireHostHeader: false,
      headersTimeout: arrival,
      requestTimeout: arrival + body,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: keepAliveSeconds * 1000,
      // A request without a body gets no stream.
      optimizeEmptyRequests: true,
    },
    (request, response) => {
      // The parser drops bytes that follow an Upgrade header in the same packet, so close the connection after the
      // response.
      if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
      pipelined.begin(request, response);
    },
  );
  // Callers may end their side of the connection and still wait for their response. Node does not document this
  // property.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  refuseUnparsed(server, pipelined, refusal);
  boundConnections(server, connections, log);
  const closed = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return {
    server,
    async listen({ host, port }) {
      await once(server.listen(port, host), "listening");
      return (server.address() as AddressInfo).port;
    },
    async close() {
      // Node closes only connections that are idle now, so look again later.
      const look = setInterval(() => server.closeIdleConnections(), lookForIdle);
      await closed();
      clearInterval(look);
    },
    end() {
      const ended = closed();
      server.closeAllConnections();
      return ended;
    },
  };
}
