import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, Server, ServerResponse } from "node:http";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { Failure } from "../operation/failures.ts";
import { type BoundOperation, pathUnder } from "../operation/operation.ts";
import { createServer } from "../runtime/network/node-http.ts";
import { boundConnections } from "./connections.ts";
import type { HttpDependencies } from "./dependencies.ts";
import { failureAnswer, faultOf } from "./failure-response.ts";
import { noOperation } from "./monitoring/answer-counts.ts";
import { tracedRequests } from "./monitoring/traced-requests.ts";
import { pairsOf } from "./pages/content.ts";
import { asksForPage } from "./pages/wrong-path.ts";
import { answerOddRequests, parserFailures } from "./parser-failures.ts";
import { pipeline, type Serve } from "./pipeline.ts";
import type { Located } from "./request/input.ts";
import { KnownTargets } from "./request/known-targets.ts";
import { isInexact, refusalByHeaders, refusalOf, targetOf, unroutable } from "./request/malformed.ts";
import { meantOperation } from "./request/meant-operation.ts";
import { PipelinedRequests } from "./request/pipelined-requests.ts";
import { newRequestId, requestIdOf } from "./request/request-id.ts";
import { RequestLog } from "./request-log.ts";
import { keepAliveSeconds } from "./whole-answer.ts";

export type HttpServer = FastifyInstance;

/**
 * The HTTP server of a table of operations. Pages and health checks are registered on it before it listens. Fastify routes, reads query
 * strings and serves the pages. It does not see a target that was answered with ready bytes before (`KnownTargets`), reads no
 * body of an operation, and writes none of their answers.
 */
export function buildServer(operations: readonly BoundOperation[], deps: HttpDependencies): HttpServer {
  const { bounds } = deps;
  const requestLog = new RequestLog(deps);
  const unrouted = deps.answers.of(noOperation).none;
  const paths = new Paths();
  const targets = new KnownTargets<Serve>();
  const pipelined = new PipelinedRequests();
  const urlsOf = ({ path }: BoundOperation) => deps.pathPrefixes.map((prefix) => fastifyPath(pathUnder(prefix, path)));
  const byPath = new Map(operations.flatMap((operation) => urlsOf(operation).map((url) => [url, operation] as const)));
  let server!: Server;
  const begin = (handler: RequestListener, request: IncomingMessage, response: ServerResponse) => {
    request.url = targetOf(request.url ?? "");
    const known = targets.of(request);
    if (known && !refusalByHeaders(request))
      known.serve(request, response, requestIdOf(request.headers["x-request-id"]), known.accepted);
    else handler(request, response);
  };
  const app = Fastify({
    serverFactory: (handler) => {
      server = createServer(
        {
          maxHeaderSize: bounds.headers,
          requireHostHeader: false,
          headersTimeout: bounds.arrival,
          // A route that waits for a body times out first, with its own envelope.
          requestTimeout: bounds.arrival + 2000,
          connectionsCheckingInterval: 1000,
          keepAliveTimeout: keepAliveSeconds * 1000,
          // A request without a body needs no stream.
          optimizeEmptyRequests: true,
        },
        (request, response) => {
          if (PipelinedRequests.isPipelined(response))
            pipelined.add(request.socket, () => begin(handler, request, response));
          else begin(handler, request, response);
        },
      );
      return server;
    },
    genReqId: (request) => requestIdOf(request.headers["x-request-id"]),
    requestIdHeader: false,
    logger: false,
    clientErrorHandler: parserFailures(deps),
    return503OnClosing: false,
    forceCloseConnections: "idle",
    routerOptions: { maxParamLength: bounds.url },
    // Operations check and write with their own schemas, so Fastify need not load its compilers.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    frameworkErrors: (error, request, reply) => {
      const failure =
        error.code === "FST_ERR_BAD_URL"
          ? new Failure("malformed_request", "The URL cannot be decoded.")
          : new Failure("malformed_request");
      refuse(request as FastifyRequest, reply as FastifyReply, failure);
    },
  });
  boundConnections(server, deps.connections, deps.log);
  server.once("close", () => requestLog.stop());
  answerOddRequests(server, deps, (url) => paths.operation(targetOf(url)));

  const refuse = (
    request: FastifyRequest,
    reply: FastifyReply,
    failure: Failure,
    path?: BoundOperation,
    fault?: object,
  ) => {
    reply.hijack();
    const id = typeof request.id === "string" ? request.id : newRequestId();
    const address = deps.addressOf(request.raw);
    unrouted.failed(failure.code);
    requestLog.refused(failure, { requestId: id }, address, fault);
    const { status, headers, body } = failureAnswer(failure, id, deps, address, path);
    const write = (headers: OutgoingHttpHeaders | string[], body: string) => {
      if (!reply.raw.destroyed) reply.raw.writeHead(status, headers).end(body);
    };
    const page = failure.code === "route_not_found" && asksForPage(request.raw) ? deps.wrongPathPage?.() : undefined;
    if (!page) return write(headers, body);
    page.then(
      (page) => write({ ...pairsOf(headers), ...page.headers }, page.body),
      () => write(headers, body),
    );
  };

  /** Keeps the refusal for whoever has a key to read. The path itself may hold anything. */
  const noteUnrouted = async (raw: IncomingMessage, requestId: string, failure: Failure, meant?: BoundOperation) => {
    const { authorization } = raw.headers;
    const { authenticator, requestEntries: entries } = deps;
    if (entries === null || authorization === undefined || authenticator.isAbsent(authorization)) return;
    try {
      const caller = await authenticator.credentialOf(authorization, deps.addressOf(raw), true);
      if (!entries.takes(caller, false)) return;
      const { status, code } = failure;
      const operation = meant?.id ?? noOperation;
      entries.note(caller, false, { requestId, operation, status, code, duration: 0, reference: null });
    } catch {
      // Nobody with a key asked.
    }
  };

  app.addHook("onRoute", ({ url, method }) => paths.add(url, [method].flat(), byPath.get(url)));

  // Runs before Fastify reads the body: we refuse these requests whatever their body is.
  app.addHook("onRequest", (request, reply, done) => {
    const url = request.raw.url!;
    const path = paths.operation(url);
    const refusal = refusalOf(request.raw, deps);
    if (refusal) return refuse(request, reply, refusal, path);
    if (!request.is404 && !isInexact(url)) return done();
    const methods = isInexact(url) ? [] : paths.methods(url);
    const meant = methods.length === 0 ? meantOperation(url, operations) : path;
    const failure = unroutable(methods, meant?.path, deps);
    refuse(request, reply, failure, path);
    void noteUnrouted(request.raw, request.id, failure, meant);
  });
  app.setNotFoundHandler(() => undefined);

  for (const operation of operations) {
    const methods = operation.method === "POST" ? ["POST"] : ["GET", "HEAD"];
    if (operation.carriage === "query or body") methods.push("QUERY");
    const untraced = pipeline(operation, deps, requestLog, (request, accepted) =>
      targets.remember(request, { serve, accepted }),
    );
    const serve = deps.tracer ? tracedRequests(deps.tracer, operation, untraced) : untraced;
    for (const url of urlsOf(operation))
      app.route({
        method: methods,
        url,
        // Runs before Fastify reads the body: an operation reads it, with its own limits and envelope.
        onRequest: (request, reply, _done) => {
          reply.hijack();
          serve(request.raw, reply.raw, request.id, { query: request.query, path: request.params } as Located);
        },
        handler: () => undefined,
      });
  }

  app.setErrorHandler(async (error, request, reply) => {
    const path = paths.operation(request.raw.url!);
    if (error instanceof Failure) return refuse(request, reply, error, path);
    return refuse(request, reply, new Failure("internal_error"), path, faultOf(error));
  });
  return app;
}

function noCompiler(): never {
  throw new Error("No route has a schema of Fastify's.");
}

function fastifyPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

/** The methods and the operation of each path, whatever the method of a request. Filled as routes are registered. */
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
    const path = url.split(/[?#]/, 1)[0]!;
    return this.#known.filter(({ form }) => form.test(path));
  }
}
