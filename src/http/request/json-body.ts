import type { IncomingMessage } from "node:http";
import { Failure } from "../../declare/failures.ts";
import { withTimeout } from "../../runtime/timeout.ts";
import { jsonErrorAt } from "./json-error-place.ts";

/** Limits of a request. */
export interface RequestBounds {
  /** In bytes, like the two limits that follow. */
  body: number;
  url: number;
  headers: number;
  /** Longest time for the whole request to arrive, in milliseconds. */
  arrival: number;
}

/** A number of bytes as people write it. */
export function sizeOf(bytes: number): string {
  return bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`;
}

/**
 * The JSON value of a request's body; undefined for a body without data, such as `null` or `{}`, whose `Content-Type`
 * is ignored. The body of a GET needs no `Content-Type`; a charset is ignored and a byte order mark dropped. Throws
 * `unsupported_media_type`, `body_too_large`, `request_timeout`, `malformed_request`, `malformed_json` or
 * `conflicting_parameters`.
 */
export async function readJsonBody(request: IncomingMessage, bounds: RequestBounds): Promise<unknown> {
  const length = Number(request.headers["content-length"] ?? Number.NaN);
  if (length === 0 || (Number.isNaN(length) && request.headers["transfer-encoding"] === undefined)) return undefined;
  if (length > bounds.body) {
    refuseOtherTypes(request);
    throw tooLarge(bounds);
  }
  const bytes = await withTimeout(bytesOf(request, bounds), bounds.arrival);
  if (bytes === undefined) {
    const sentence = `The body did not arrive within ${bounds.arrival / 1000} seconds.`;
    throw new Failure("request_timeout", sentence, { headers: { Connection: "close" } });
  }
  if (nothing.test(bytes.toString().trim())) return undefined;
  refuseOtherTypes(request);
  const text = textOf(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw notJson(text);
  }
  if (repeatsMember(text))
    throw new Failure("conflicting_parameters", "An object in the body has a member twice. Send each member once.");
  return value;
}

/** The ways in which frameworks write "no data": Laravel `[]`, Go `null`, others `{}`, `""` or white space. */
const nothing = /^(?:null|""|\[\s*\]|\{\s*\})?$/;

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Failure("malformed_json", "The body is not UTF-8. Send one JSON object in UTF-8.");
  }
}

function notJson(text: string): Failure {
  const lines = text.slice(0, jsonErrorAt(text)).split("\n");
  const place = `line ${lines.length}, character ${lines.at(-1)!.length + 1}`;
  return new Failure("malformed_json", `The body is not JSON from ${place} on. Send one JSON object in UTF-8.`);
}

/**
 * Whether an object in a JSON text has two members of one name. Reads the names itself: once an object had the name
 * `\\`, V8 14.6 takes an escaped name for that one.
 */
export function repeatsMember(text: string): boolean {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === "{" || character === "[") open.push(new Set());
    else if (character === "}" || character === "]") open.pop();
    else if (character === '"') {
      const end = endOfString(text, at);
      let next = end;
      while (isSpace.test(text[next] ?? "")) next += 1;
      if (text[next] === ":") {
        const written = text.slice(at, end);
        const name = written.includes("\\") ? JSON.parse(written) : written.slice(1, -1);
        const names = open.at(-1)!;
        if (names.has(name)) return true;
        names.add(name);
      }
      at = next - 1;
    }
  }
  return false;
}

const isSpace = /[ \t\r\n]/;

/** Returns the index just after the string that begins at `at`. */
function endOfString(text: string, at: number): number {
  let end = at + 1;
  while (text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return end + 1;
}

function refuseOtherTypes(request: IncomingMessage): void {
  const type = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  const isJson = type === undefined || type === "" ? request.method === "GET" : /^application\/(.+\+)?json$/.test(type);
  if (!isJson)
    throw new Failure(
      "unsupported_media_type",
      "The body must be JSON. Send the header Content-Type: application/json.",
    );
  const coding = request.headers["content-encoding"];
  if (coding !== undefined && coding.toLowerCase() !== "identity")
    throw new Failure(
      "unsupported_media_type",
      "The body must not be compressed. Leave the Content-Encoding header out.",
    );
}

function tooLarge({ body }: RequestBounds): Failure {
  return new Failure("body_too_large", `The body is larger than ${sizeOf(body)}.`);
}

async function bytesOf(request: IncomingMessage, bounds: RequestBounds): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Do not destroy the request at the end: the response still needs the connection.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > bounds.body) break;
      chunks.push(chunk);
    }
  } catch {
    throw new Failure("malformed_request", "The connection ended before the whole body had arrived.");
  }
  if (size <= bounds.body) return Buffer.concat(chunks);
  request.resume();
  throw tooLarge(bounds);
}
