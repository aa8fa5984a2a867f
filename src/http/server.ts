import { createServer, type IncomingMessage, type Server } from "node:http";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { Failure } from "../contract/failures.ts";
import type { BoundOperation } from "../contract/operation.ts";
import { sizeOf } from "./body.ts";
import { boundConnections } from "./connections.ts";
import { failureAnswer } from "./failure-answer.ts";
import { answerOddRequests, parserFailures } from "./parser-failures.ts";
import { faultOf, type Gate, pipeline, quotaHeaders, quotaOf } from "./pipeline.ts";
import { newRequestId, requestIdOf } from "./request-id.ts";

export type HttpServer = FastifyInstance;

/** The HTTP server of a table of operations. Pages and health checks are registered on it before it listens. */
export function buildServer(operations: readonly BoundOperation[], gate: Gate): HttpServer {
  const { bounds } = gate;
  const paths = new Paths();
  const byPath = new Map(operations.map((operation) => [fastifyPath(operation.path), operation]));
  let server!: Server;
  const app = Fastify({
    serverFactory: (handler) => {
      server = createServer(
        {
          maxHeaderSize: bounds.headers,
          requireHostHeader: false,
          headersTimeout: bounds.arrival,
          // A route that waits for a body refuses it first, in the words of its own path.
          requestTimeout: bounds.arrival + 2000,
          connectionsCheckingInterval: 1000,
          keepAliveTimeout: 72_000,
        },
        handler,
      );
      return server;
    },
    genReqId: (request) => requestIdOf(request.headers["x-request-id"]),
    requestIdHeader: false,
    logger: false,
    clientErrorHandler: parserFailures(gate),
    return503OnClosing: false,
    forceCloseConnections: "idle",
    routerOptions: { maxParamLength: bounds.url },
    frameworkErrors: (error, request, reply) => {
      const failure =
        error.code === "FST_ERR_BAD_URL"
          ? new Failure("malformed_request", "The URL cannot be decoded.")
          : new Failure("malformed_request");
      refuse(request as FastifyRequest, reply as FastifyReply, failure);
    },
  });
  boundConnections(server, gate.connections, gate.log);
  answerOddRequests(server, gate, (url) => paths.operation(url));

  const refuse = (request: FastifyRequest, reply: FastifyReply, failure: Failure, path?: BoundOperation) => {
    reply.hijack();
    const id = typeof request.id === "string" ? request.id : newRequestId();
    const { status, headers, body } = failureAnswer(failure, id, path);
    if (reply.raw.destroyed) return;
    reply.raw.writeHead(status, [...headers, ...quotaHeaders(quotaOf(gate, gate.addressOf(request.raw)))]).end(body);
    if (gate.accessLog !== "off") gate.log.info({ status, code: failure.code, requestId: id }, "refused");
  };

  app.addHook("onRoute", ({ url, method }) => paths.add(url, [method].flat(), byPath.get(url)));

  // Before Fastify looks at the body: what is refused here is refused whatever it carries.
  app.addHook("onRequest", (request, reply, done) => {
    const failure =
      refusalOf(request.raw, gate) ?? (request.is404 ? unroutable(paths.methods(request.raw.url!), gate) : undefined);
    if (failure) refuse(request, reply, failure, paths.operation(request.raw.url!));
    else done();
  });
  app.setNotFoundHandler(() => undefined);

  for (const operation of operations) {
    const methods = operation.method === "POST" ? ["POST"] : ["GET", "HEAD"];
    if (operation.carriage === "query or body") methods.push("QUERY");
    const serve = pipeline(operation, gate);
    app.route({
      method: methods,
      url: fastifyPath(operation.path),
      // Before Fastify looks at the body: an operation reads its own, under its own limits and in the words of its path.
      onRequest: (request, reply, _done) => void serve(request, reply),
      handler: () => undefined,
    });
  }

  app.setErrorHandler(async (error, request, reply) => {
    const path = paths.operation(request.raw.url!);
    if (error instanceof Failure) return refuse(request, reply, error, path);
    gate.log.error({ requestId: request.id, ...faultOf(error) }, "fault");
    return refuse(request, reply, new Failure("internal_error"), path);
  });
  return app;
}

function fastifyPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

const inexact = /^[^?]*%|^[^?]+\/(?:\?|$)/;

/** What is wrong with a request whatever its path. */
function refusalOf({ headers, httpVersion, url = "" }: IncomingMessage, gate: Gate): Failure | undefined {
  const { bounds } = gate;
  if (headers.host === undefined && httpVersion === "1.1")
    return new Failure("malformed_request", "The Host header is missing.");
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.toLowerCase() !== "chunked")
    return new Failure("malformed_request", "The only Transfer-Encoding that is read here is chunked.", {
      headers: { Connection: "close" },
    });
  if (url.length > bounds.url) return new Failure("uri_too_long", `The URL is longer than ${sizeOf(bounds.url)}.`);
  if (url.includes("%") && !isDecodable(url)) return new Failure("malformed_request", "The URL cannot be decoded.");
  // Paths are exact, but the router would decode them and take a trailing slash for an empty parameter.
  return inexact.test(url) ? noSuchPath(gate) : undefined;
}

function noSuchPath({ docs }: Gate): Failure {
  return new Failure("route_not_found", `No operation has this path.${docs ? " GET /docs lists all of them." : ""}`);
}

/** Why no route took a request: its path, or its method if others are answered there. */
function unroutable(methods: readonly string[], gate: Gate): Failure {
  if (methods.length === 0) return noSuchPath(gate);
  const allow = methods.join(", ");
  return new Failure("method_not_allowed", `This path answers ${allow} only.`, { headers: { Allow: allow } });
}

function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}

/** What is known of a URL's path, whatever the method: filled as routes are registered. */
class Paths {
  readonly #known: { form: RegExp; methods: string[]; operation: BoundOperation | undefined }[] = [];

  add(url: string, methods: readonly string[], operation: BoundOperation | undefined): void {
    const form = new RegExp(`^${url.replaceAll(".", "\\.").replace(/:\w+/g, "[^/]+")}$`);
    this.#known.push({ form, methods: [...methods], operation });
  }

  methods(url: string): string[] {
    return [...new Set(this.#of(url).flatMap(({ methods }) => methods))];
  }

  operation(url: string): BoundOperation | undefined {
    return this.#of(url)[0]?.operation;
  }

  #of(url: string) {
    const path = url.split("?", 1)[0]!;
    return this.#known.filter(({ form }) => form.test(path));
  }
}
