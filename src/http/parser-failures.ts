import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { FailurePath } from "../declare/answers/envelope.ts";
import { Failure } from "../declare/failures.ts";
import { STATUS_CODES } from "../runtime/network/node-http.ts";
import type { HttpDependencies } from "./dependencies.ts";
import { failureResponse } from "./failure-response.ts";
import { type RequestBounds, sizeOf } from "./request/json-body.ts";
import { newRequestId, requestIdOf } from "./request/request-id.ts";
import type { UnparsedResponse } from "./shell/unparsed.ts";

/** The common envelope for bytes that the HTTP parser rejects, and for CONNECT. */
export function refusalIn(deps: HttpDependencies): UnparsedResponse {
  return (reason, address) => {
    const { status, headers, body } = failureResponse(failureOf(reason, deps.bounds), newRequestId(), deps, address);
    const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, `Date: ${new Date().toUTCString()}`];
    for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
    if (status === 405) lines.push("Allow: GET, HEAD, POST, DELETE, QUERY");
    return `${lines.join("\r\n")}\r\nConnection: close\r\n\r\n${body}`;
  };
}

/** Answers expectations other than 100-continue. */
export function refuseExpectations(
  server: Server,
  deps: HttpDependencies,
  pathOf: (request: IncomingMessage) => FailurePath | undefined,
): void {
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    const failure = new Failure("expectation_failed", "Send no Expect header, or Expect: 100-continue.");
    const id = requestIdOf(request.headers["x-request-id"]);
    const path = pathOf(request);
    const { status, headers, body } = failureResponse(failure, id, deps, deps.addressOf(request), path);
    response.writeHead(status, [...headers, "Connection", "close"]).end(body);
  });
}

function failureOf(reason: string | undefined, bounds: RequestBounds): Failure {
  if (reason === "CONNECT")
    return new Failure("method_not_allowed", "This is not a proxy: it does not accept CONNECT.");
  if (reason === "TLS")
    return new Failure(
      "malformed_request",
      "This port speaks plain HTTP, and the request began with TLS. Use http:// here, " +
        "or https:// at the proxy in front.",
    );
  if (reason === "HPE_HEADER_OVERFLOW")
    return new Failure("headers_too_large", `The headers are larger than ${sizeOf(bounds.headers)}.`);
  if (reason === "HPE_CHUNK_EXTENSIONS_OVERFLOW")
    return new Failure("body_too_large", "The body's chunk extensions are too large.");
  if (reason === "ERR_HTTP_REQUEST_TIMEOUT")
    return new Failure("request_timeout", "The request did not arrive in time.");
  return new Failure("malformed_request", "The request is not well-formed HTTP/1.1.");
}
