import type { IncomingMessage, ServerResponse } from "node:http";
import { finished } from "node:stream/promises";
import { acceptedEncoding } from "../../http/request/content-encoding.ts";
import { hasBody } from "../../http/request/input.ts";
import { codingHeaders, encoded } from "../../http/shell/content.ts";
import { type HttpResponse, sendResponse } from "../../http/shell/http-response.ts";
import { withTimeout } from "../../runtime/timeout.ts";

/** Allows only our own scripts, styles and requests, and no frames. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const always = {
  "Content-Security-Policy": policy,
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  // With `no-referrer`, browsers would send `Origin: null` with our own forms.
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
};

export function page(body: string, status = 200, headers: HttpResponse["headers"] = {}): HttpResponse {
  return { status, headers: { "Content-Type": "text/html; charset=utf-8", ...headers }, body };
}

/** A page that is sent while it is being rendered. */
export function streamed(body: AsyncIterable<string>): HttpResponse {
  return { status: 200, headers: { "Content-Type": "text/html; charset=utf-8" }, body };
}

export function jsonResponse(value: unknown, status = 200, headers: HttpResponse["headers"] = {}): HttpResponse {
  return jsonText(JSON.stringify(value), status, headers);
}

export function jsonText(body: string, status = 200, headers: HttpResponse["headers"] = {}): HttpResponse {
  return { status, headers: { "Content-Type": "application/json; charset=utf-8", ...headers }, body };
}

export function redirect(location: string, headers: HttpResponse["headers"] = {}): HttpResponse {
  return { status: 303, headers: { Location: location, "Content-Type": "text/plain", ...headers }, body: "" };
}

/** A file to save. */
export function download(name: string, type: string, body: HttpResponse["body"]): HttpResponse {
  const safe = name.replaceAll(/[^\w.-]/g, "_");
  return {
    status: 200,
    headers: { "Content-Type": type, "Content-Disposition": `attachment; filename="${safe}"` },
    body,
  };
}

/** Sends a response with the headers common to all, compressed as the browser accepts. */
export async function sendConsoleResponse(
  raw: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: HttpResponse,
  isSecure: boolean,
): Promise<void> {
  // Without `Connection: close`, a body that never arrives would occupy its connection until the time-out.
  const closes = !(await isWhole(raw)) && { Connection: "close" };
  const own = {
    ...always,
    ...closes,
    ...(isSecure && { "Strict-Transport-Security": "max-age=31536000" }),
    ...headers,
  };
  const isMade = (typeof body === "string" || Buffer.isBuffer(body)) && headers.Vary === undefined;
  if (!isMade) return sendResponse(raw, response, { status, headers: own, body });
  const coding = body.length > 1024 ? acceptedEncoding(raw.headers["accept-encoding"]) : "identity";
  const bytes = await encoded(coding, Buffer.from(body));
  return sendResponse(raw, response, { status, headers: { ...own, ...codingHeaders(coding) }, body: bytes });
}

/** How long the rest of a body may take once the response is ready, in milliseconds. */
const restTime = 1000;

/**
 * Whether the request arrives completely. Reads and drops the rest of the body, because a browser that still sends may
 * miss the response.
 */
async function isWhole(raw: IncomingMessage): Promise<boolean> {
  if (raw.complete || !hasBody(raw)) return true;
  raw.resume();
  await withTimeout(finished(raw), restTime).catch(() => undefined);
  return raw.complete;
}
