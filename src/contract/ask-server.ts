import type { IncomingHttpHeaders } from "node:http";
import { HttpClient } from "../runtime/network/http-client.ts";

/** A request as it goes to the server. `fetch` refuses bodies with GET and mends paths, so we use neither. */
export interface ServerRequest {
  method: string;
  /** Path and query string, as they are sent. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
}

export interface CheckedResponse {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The JSON object of the body; undefined for any other body. */
  json: Record<string, unknown> | undefined;
}

/** The server gave no whole response. `code` is of `HttpClient`. */
export class NoResponse extends Error {
  readonly code: string;

  constructor(code: string) {
    super("no answer");
    this.code = code;
  }
}

/** Sends requests to one server, over connections that stay open. */
export class Server {
  readonly #base: URL;
  readonly #timeout: number;
  readonly #http = new HttpClient({ keepAlive: true });

  /** `timeout` in milliseconds. */
  constructor(base: URL, timeout: number) {
    this.#base = base;
    this.#timeout = timeout;
  }

  /** Throws `NoResponse`. */
  async ask({ path, ...request }: ServerRequest): Promise<CheckedResponse> {
    const below = this.#base.pathname.replace(/\/$/, "") + path;
    const response = await this.#http.send({ ...request, url: this.#base, path: below, timeout: this.#timeout });
    if (response.kind !== "answered") throw new NoResponse(response.code);
    const text = response.body.toString();
    return { status: response.status, headers: response.headers, text, json: objectIn(text) };
  }

  close(): void {
    this.#http.close();
  }
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
