import type { IncomingMessage } from "node:http";
import { Failure } from "../../operation/failures.ts";

/** Limits of a request. */
export interface RequestBounds {
  /** Bytes, like the two that follow. */
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
 * The JSON value of a request's body; undefined if it is empty. The body of a GET needs no `Content-Type`; a charset is ignored
 * and a byte order mark dropped. Throws `unsupported_media_type`, `body_too_large`,
 * `request_timeout` or `malformed_json`.
 */
export async function readJsonBody(request: IncomingMessage, bounds: RequestBounds): Promise<unknown> {
  const length = Number(request.headers["content-length"] ?? Number.NaN);
  if (length === 0 || (Number.isNaN(length) && request.headers["transfer-encoding"] === undefined)) return undefined;
  refuseOtherTypes(request);
  if (length > bounds.body) throw tooLarge(bounds);
  const bytes = await bytesOf(request, bounds);
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new Failure("malformed_json", "The body is not JSON. Send one JSON object in UTF-8.");
  }
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

function bytesOf(request: IncomingMessage, bounds: RequestBounds): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => {
      settle();
      const sentence = `The body did not arrive within ${bounds.arrival / 1000} seconds.`;
      reject(new Failure("request_timeout", sentence, { headers: { Connection: "close" } }));
    }, bounds.arrival);
    const settle = () => {
      clearTimeout(timer);
      request.off("data", take).off("end", end).off("error", gone).off("close", gone);
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size > bounds.body) {
        settle();
        request.resume();
        reject(tooLarge(bounds));
      } else chunks.push(chunk);
    };
    const end = () => {
      settle();
      resolve(Buffer.concat(chunks));
    };
    const gone = () => {
      settle();
      reject(new Failure("malformed_request", "The connection ended before the whole body had arrived."));
    };
    // A request that has already ended emits no event.
    if (request.destroyed) gone();
    else request.on("data", take).on("end", end).on("error", gone).on("close", gone);
  });
}
