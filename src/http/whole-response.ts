import type { ServerResponse } from "node:http";
import { headerLines, type ReadyForm } from "../declare/answers/ready-response.ts";

/** Of Node's HTTP server, which sends it in the `Keep-Alive` header. */
export const keepAliveSeconds = 72;

/** What `writeHead` leaves behind: the status line and the headers as they go to the socket. */
type WithBlock = ServerResponse & { _header: string | null };

const ending = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`;

/**
 * Sends a 200 whose header lines are written already, with those of `own` behind them. Node's `writeHead` would check
 * and join each of them again, which takes longer than all that we do for a look-up. Returns false if this response
 * needs `writeHead`.
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
