import type { Agent, IncomingHttpHeaders } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { Agent as HttpAgent, request as requestHttp } from "../runtime/network/node-http.ts";

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

/** The server gave no whole answer. */
export class NoAnswer extends Error {
  readonly isTimeout: boolean;

  constructor(cause: unknown, isTimeout: boolean) {
    super("no answer", { cause });
    this.isTimeout = isTimeout;
  }
}

const mostBytes = 16 * 1024 ** 2;

/** Sends requests to one server, over connections that stay open, and follows no redirect. */
export class Server {
  readonly #base: URL;
  readonly #timeout: number;
  readonly #agent: Agent;

  /** `timeout` in milliseconds. */
  constructor(base: URL, timeout: number) {
    this.#base = base;
    this.#timeout = timeout;
    this.#agent = base.protocol === "https:" ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  }

  /** Throws `NoAnswer`. */
  async ask({ method, path, headers, body }: ServerRequest): Promise<ServerAnswer> {
    const { protocol, hostname, port, pathname } = this.#base;
    const signal = AbortSignal.timeout(this.#timeout);
    const send = protocol === "https:" ? requestHttps : requestHttp;
    try {
      const { promise, resolve, reject } = Promise.withResolvers<ServerAnswer>();
      const length = body === undefined ? {} : { "Content-Length": Buffer.byteLength(body) };
      const sending = send({
        host: hostname.replace(/^\[|\]$/g, ""),
        port,
        method,
        path: pathname.replace(/\/$/, "") + path,
        headers: { ...headers, ...length },
        agent: this.#agent,
        signal,
      });
      sending.on("error", reject);
      sending.on("response", (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on("error", reject);
        response.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          size += chunk.length;
          if (size > mostBytes) sending.destroy(new Error("The answer is too large."));
        });
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode!, headers: response.headers, text, json: objectIn(text) });
        });
      });
      sending.end(body);
      return await promise;
    } catch (error) {
      throw new NoAnswer(error, signal.aborted);
    }
  }

  close(): void {
    this.#agent.destroy();
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
