import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** A response that is written as it is. */
export interface HttpResponse {
  status: number;
  headers: Readonly<Record<string, string | string[]>>;
  body: string | Buffer | AsyncIterable<string>;
}

/** Sends a reply; to HEAD without its body. Rejects if the caller leaves, or the body breaks off, before the end. */
export async function sendResponse(
  { method }: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: HttpResponse,
): Promise<void> {
  if (response.destroyed) return;
  if (typeof body === "string" || Buffer.isBuffer(body)) {
    const length = status === 304 ? {} : { "Content-Length": Buffer.byteLength(body) };
    response.writeHead(status, { ...headers, ...length }).end(body);
    return;
  }
  response.writeHead(status, headers);
  if (method === "HEAD") response.end();
  else await pipeline(Readable.from(body), response);
}

/** Headers by name, of a flat list of pairs. */
export function pairsOf(flat: readonly string[]): Record<string, string> {
  return Object.fromEntries(Array.from({ length: flat.length / 2 }, (_, at) => [flat[at * 2], flat[at * 2 + 1]]));
}
