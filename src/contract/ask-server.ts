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

export interface ServerAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The JSON object of the body; undefined for any other body. */
  json: Record<string, unknown> | undefined;
}

/** The server gave no whole answer. `code` is of `HttpClient`. */
export class NoAnswer extends Error {
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

  /** Throws `NoAnswer`. */
  async ask({ path, ...request }: ServerRequest): Promise<ServerAnswer> {
    const below = this.#base.pathname.replace(/\/$/, "") + path;
    const answer = await this.#http.send({ ...request, url: this.#base, path: below, timeout: this.#timeout });
    if (answer.kind !== "answered") throw new NoAnswer(answer.code);
    const text = answer.body.toString();
    return { status: answer.status, headers: answer.headers, text, json: objectIn(text) };
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
