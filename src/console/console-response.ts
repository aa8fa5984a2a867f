import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** What the console answers. */
export interface ConsoleReply {
  status: number;
  headers: Readonly<Record<string, string | string[]>>;
  body: string | Buffer | AsyncIterable<string>;
}

/** No script, style, frame or request but our own. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const always = {
  "Content-Security-Policy": policy,
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  // `no-referrer` would make browsers send `Origin: null` with our own forms.
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
};

export function page(body: string, status = 200, headers: ConsoleReply["headers"] = {}): ConsoleReply {
  return { status, headers: { "Content-Type": "text/html; charset=utf-8", ...headers }, body };
}

export function jsonReply(value: unknown, status = 200, headers: ConsoleReply["headers"] = {}): ConsoleReply {
  return jsonText(JSON.stringify(value), status, headers);
}

export function jsonText(body: string, status = 200, headers: ConsoleReply["headers"] = {}): ConsoleReply {
  return { status, headers: { "Content-Type": "application/json; charset=utf-8", ...headers }, body };
}

export function redirect(location: string, headers: ConsoleReply["headers"] = {}): ConsoleReply {
  return { status: 303, headers: { Location: location, "Content-Type": "text/plain", ...headers }, body: "" };
}

/** A file that the browser saves. */
export function download(name: string, type: string, body: ConsoleReply["body"]): ConsoleReply {
  const safe = name.replaceAll(/[^\w.-]/g, "_");
  return {
    status: 200,
    headers: { "Content-Type": type, "Content-Disposition": `attachment; filename="${safe}"` },
    body,
  };
}

/** Sends a reply with the headers that all have. */
export async function sendReply(
  raw: IncomingMessage,
  response: ServerResponse,
  reply: ConsoleReply,
  isSecure: boolean,
): Promise<void> {
  const { status, body } = reply;
  const headers: Record<string, string | string[]> = {
    ...always,
    ...(isSecure && { "Strict-Transport-Security": "max-age=31536000" }),
    ...reply.headers,
  };
  if (typeof body !== "string" && !Buffer.isBuffer(body)) {
    response.writeHead(status, headers);
    if (raw.method === "HEAD") response.end();
    else await pipeline(Readable.from(body), response);
    return;
  }
  const plain = Buffer.from(body);
  const isPacked = plain.length > 1024 && /\bgzip\b/.test(String(raw.headers["accept-encoding"] ?? ""));
  const bytes = isPacked ? await promisify(gzip)(plain) : plain;
  response.writeHead(status, {
    ...headers,
    ...(isPacked && { "Content-Encoding": "gzip" }),
    Vary: "Accept-Encoding",
    "Content-Length": String(bytes.length),
  });
  response.end(raw.method === "HEAD" ? undefined : bytes);
}
