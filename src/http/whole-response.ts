import type { ServerResponse } from "node:http";
import { headerLines, type ReadyForm } from "../declare/answers/ready-response.ts";

/** The keep-alive time of Node's HTTP server, which the `Keep-Alive` header states. */
export const keepAliveSeconds = 72;

/** A response after `writeHead`, with the status line and the headers as the socket gets them. */
type WithBlock = ServerResponse & { _header: string | null };

const ending = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`;

/**
 * Sends a 200 whose header lines are written already, followed by those of `own`. Node's `writeHead` would check and
 * join each line again, which takes longer than the rest of a look-up. Returns false if this response needs
 * `writeHead`.
 */
export function sendWhole(response: ServerResponse, { lines, sendable }: ReadyForm, own: readonly string[]): boolean {
  if (!response.shouldKeepAlive || (response as WithBlock)._header !== null) return false;
  (response as WithBlock)._header = `HTTP/1.1 200 OK\r\n${lines}${headerLines(own)}${dateLine()}${ending}`;
  response.end(sendable, "latin1");
  return true;
}

let date = "";
let dateUntil = 0;

/** Returns the `Date` line, which is written once a second. */
function dateLine(): string {
  const now = Date.now();
  // The second condition holds if the clock was set back.
  if (now >= dateUntil || now < dateUntil - 1000) {
    dateUntil = now - (now % 1000) + 1000;
    date = `Date: ${new Date(now).toUTCString()}\r\n`;
  }
  return date;
}
