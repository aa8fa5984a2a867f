import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { parse } from "node:querystring";
import { Failure } from "../declare/failures.ts";
import { type BoundOperation, pathUnder } from "../declare/operation.ts";
import { recent } from "../runtime/recent.ts";
import { AccessLog } from "./access-log.ts";
import { isAbsent } from "./authenticate.ts";
import type { HttpDependencies } from "./dependencies.ts";
import { type ErrorFields, errorFieldsOf, failureResponse } from "./failure-response.ts";
import { noOperation } from "./monitoring/response-counts.ts";
import { tracedRequests } from "./monitoring/traced-requests.ts";
import { asksForPage } from "./pages/wrong-path.ts";
import { refusalIn, refuseExpectations } from "./parser-failures.ts";
import { pipeline, type Serve } from "./pipeline.ts";
import { type Accepted, hasBody, type Located } from "./request/input.ts";
import { inexactPath, refusalByHeaders, refusalByTarget, targetOf, unroutable } from "./request/malformed.ts";
import { meantOperation } from "./request/meant-operation.ts";
import { requestIdOf } from "./request/request-id.ts";
import { type HttpResponse, pairsOf, sendResponse } from "./shell/http-response.ts";
import { type HttpServer, openServer } from "./shell/open-server.ts";

export interface ApiServer extends HttpServer {
  /** Answers GET and HEAD on a path. A thrown `Failure` becomes its response. Call this before the server listens. */
  get(path: string, answer: (request: IncomingMessage) => HttpResponse | Promise<HttpResponse>): void;
}

/** The handler of a method of a path, and the operation that it belongs to, if any. */
interface Served {
  operation: BoundOperation | undefined;
  serve: Serve;
}

/** What a path has, by method. */
type Route = ReadonlyMap<string | undefined, Served>;

/** The most remembered targets, and the most characters of one. Both limit the memory. */
const mostTargets = 5_000;
const longestTarget = 256;

/**
 * A target whose last response was ready in memory. The next request for this target skips the router and the query
 * string.
 */
interface KnownTarget {
  readonly serve: Serve;
  readonly accepted: Accepted;
}

/**
 * Builds the HTTP server for a table of operations. Pages and health checks are registered before the server listens. A
 * `KnownTarget`, whose last response was ready in memory, skips routing and the query string.
 */
export function buildServer(operations: readonly BoundOperation[], deps: HttpDependencies): ApiServer {
  const { bounds } = deps;
  const accessLog = new AccessLog(deps);
  const unrouted = deps.answers.of(noOperation).none;
  const routes = new Routes<Route>();
  const targets = recent<KnownTarget>(mostTargets);

  const serverBounds = { ...bounds, body: 2000, connections: deps.connections };
  const first: RequestListener = (request, response) => {
    request.url = targetOf(request.url ?? "");
    const requestId = requestIdOf(request.headers["x-request-id"]);
    const known = request.method === "GET" && !hasBody(request) ? targets.get(request.url) : undefined;
    if (known && !refusalByHeaders(request)) known.serve(request, response, requestId, known.accepted);
    else
      try {
        route(request, response, requestId);
      } catch (error) {
        broke(request, response, requestId, error);
      }
  };
  const http = openServer(serverBounds, deps.log, first, refusalIn(deps));
  http.server.once("close", () => accessLog.stop());
  refuseExpectations(http.server, deps, ({ url = "", method }) =>
    operationAt(routes.find(pathOf(targetOf(url)))?.value, method),
  );

  const route = (request: IncomingMessage, response: ServerResponse, requestId: string) => {
    const url = request.url!;
    const path = pathOf(url);
    const found = routes.find(path);
    const refusal = refusalByHeaders(request) ?? refusalByTarget(request, deps);
    if (refusal) return refuse(request, response, requestId, refusal, operationAt(found?.value, request.method));
    const methods = found && !inexactPath.test(url) ? found.value : undefined;
    const served = methods?.get(request.method);
    if (served) {
      const query = parse(url.slice(path.length + 1), "&", "=", { maxKeys: 0 }) as Located["query"];
      return served.serve(request, response, requestId, { query, path: found!.members });
    }
    const operation = operationAt(found?.value, request.method);
    const meant = methods ? operation : meantOperation(url, operations);
    const failure = unroutable(request, [...(methods?.keys() ?? [])] as string[], meant?.path, deps);
    refuse(request, response, requestId, failure, operation);
    void noteUnrouted(request, requestId, failure, methods && operation);
  };

  const refuse = (
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    failure: Failure,
    path?: BoundOperation,
    error?: ErrorFields,
  ) => {
    const address = deps.addressOf(request);
    unrouted.failed(failure.code);
    accessLog.refused(failure, { requestId }, address, error);
    const { status, headers, body } = failureResponse(failure, requestId, deps, address, path);
    const send = (reply: HttpResponse) => sendResponse(request, response, reply);
    const asJson = { status, headers: pairsOf(headers), body };
    const page = failure.code === "route_not_found" && asksForPage(request) ? deps.wrongPathPage?.() : undefined;
    if (!page) void send(asJson);
    else
      page.then(
        (page) => send({ status, headers: { ...asJson.headers, ...page.headers }, body: page.body }),
        () => send(asJson),
      );
  };

  const broke = (request: IncomingMessage, response: ServerResponse, requestId: string, error: unknown) => {
    if (error instanceof Failure) refuse(request, response, requestId, error);
    else refuse(request, response, requestId, new Failure("internal_error"), undefined, errorFieldsOf(error));
  };

  /**
   * Stores the refusal in the request log if the caller has a key to read that log. Leaves out the path, which may hold
   * any text.
   */
  const noteUnrouted = async (raw: IncomingMessage, requestId: string, failure: Failure, known?: BoundOperation) => {
    const { authorization } = raw.headers;
    const { authenticator, responseLog: entries } = deps;
    if (entries === null || authorization === undefined || isAbsent(authorization)) return;
    try {
      const caller = await authenticator.credentialOf(authorization, deps.addressOf(raw), true);
      if (!entries.takes(caller, false)) return;
      const { status, code } = failure;
      const operation = known?.id ?? noOperation;
      entries.note(caller, false, { requestId, operation, status, code, wrong: null, duration: 0, reference: null });
    } catch {
      // Without a valid credential, there is no account that could read the entry.
    }
  };

  const servedBy = (operation: BoundOperation): Served => {
    const untraced = pipeline(operation, deps, accessLog, ({ method, url }, accepted) => {
      if (method === "GET" && url!.length <= longestTarget) targets.set(url!, { serve, accepted });
    });
    const serve = deps.tracer ? tracedRequests(deps.tracer, deps.isFromProxy, operation, untraced) : untraced;
    return { operation, serve };
  };

  for (const [path, its] of Map.groupBy(operations, (operation) => operation.path)) {
    const route: Route = new Map(
      its.flatMap((operation) => {
        const served = servedBy(operation);
        return methodsOf(operation).map((method) => [method, served] as const);
      }),
    );
    for (const prefix of deps.pathPrefixes) routes.add(pathUnder(prefix, path), route);
  }

  return {
    ...http,
    get: (path, answer) => {
      const serve: Serve = async (request, response, requestId) => {
        try {
          const reply = await answer(request);
          await sendResponse(request, response, { ...reply, headers: { ...reply.headers, "X-Request-Id": requestId } });
        } catch (error) {
          broke(request, response, requestId, error);
        }
      };
      routes.add(path, new Map(["GET", "HEAD"].map((method) => [method, { operation: undefined, serve }])));
    },
  };
}

function methodsOf({ method, carriage }: BoundOperation): string[] {
  return [method, ...(method === "GET" ? ["HEAD"] : []), ...(carriage === "query or body" ? ["QUERY"] : [])];
}

/**
 * Returns the operation that decides how a failure looks. If the path lacks the method, that is the path's first
 * operation.
 */
function operationAt(route: Route | undefined, method: string | undefined): BoundOperation | undefined {
  return (route?.get(method) ?? route?.values().next().value)?.operation;
}

function pathOf(url: string): string {
  return url.split(/[?#]/, 1)[0]!;
}

/** Finds the value of a path: exact paths first, then those with members, such as `/requests/{id}`. */
class Routes<Value> {
  readonly #exact = new Map<string, Value>();
  readonly #withMembers: { form: RegExp; value: Value }[] = [];

  add(path: string, value: Value): void {
    if (!path.includes("{")) this.#exact.set(path, value);
    else this.#withMembers.push({ form: formOf(path), value });
  }

  /** `members`: the values of the members, as the path has them. */
  find(path: string): { value: Value; members: Record<string, string> } | undefined {
    const value = this.#exact.get(path);
    if (value !== undefined) return { value, members: {} };
    for (const { form, value } of this.#withMembers) {
      const match = form.exec(path);
      if (match) return { value, members: match.groups! };
    }
    return undefined;
  }
}

function formOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
}
