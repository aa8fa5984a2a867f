import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { STATUS_CODES } from "../../runtime/network/node-http.ts";
import type { PipelinedRequests } from "./pipelined-requests.ts";

/** The whole response to bytes that are no request. `reason`: the code of Node's parser, `CONNECT` or `TLS`. */
export type UnparsedResponse = (reason: string | undefined, address: string) => string;

/** The first byte of a TLS connection (RFC 8446, section 5.1). */
const tlsHandshake = 0x16;

/** Node's code for a request that does not arrive in time. */
const tooLate = "ERR_HTTP_REQUEST_TIMEOUT";

/** Answers requests that no request listener gets: bytes that the parser rejects, and CONNECT. */
export function refuseUnparsed(server: Server, pipelined: PipelinedRequests, refusal: UnparsedResponse): void {
  const refuse = (socket: Socket, reason: string | undefined) => {
    if (!socket.writable) socket.destroy();
    else if (!pipelined.endAfterResponses(socket))
      socket.end(refusal(reason, socket.remoteAddress ?? ""), () => socket.destroy());
  };
  server.on("clientError", (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Socket) => {
    // Browsers open connections in advance, and would take a response on one for the response to their next request.
    const isUnused = error.code === tooLate && socket.bytesRead === 0;
    if (error.code === "ECONNRESET" || isUnused) socket.destroy();
    else refuse(socket, error.rawPacket?.[0] === tlsHandshake ? "TLS" : error.code);
  });
  server.on("connect", (_: IncomingMessage, socket: Socket) => {
    // Node removed its own listener, and an error without a listener would end the process.
    socket.on("error", () => socket.destroy());
    refuse(socket, "CONNECT");
  });
}

/** A response with no more than its status. */
export function bareRefusal(reason: string | undefined): string {
  const status = reason === "CONNECT" ? 405 : reason === tooLate ? 408 : 400;
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
}
