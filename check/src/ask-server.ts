import { type Agent, type IncomingHttpHeaders, request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";

/** A request as sent to the server. The check does not use `fetch`, which refuses GET bodies and normalizes paths. */
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

/** The server gave no whole response. `code` is `timed_out`, `too_large`, that of Node's error, or else `failed`. */
export class NoResponse extends Error {
  readonly code: string;

  constructor(code: string) {
    super("no answer");
    this.code = code;
  }
}

const mostBytes = 16 * 1024 ** 2;

/** Sends requests to one server, over the connections of an agent. */
export class Server {
  readonly #base: URL;
  readonly #timeout: number;
  readonly #agent: Agent;

  /** `timeout` in milliseconds. */
  constructor(base: URL, timeout: number, agent: Agent) {
    this.#base = base;
    this.#timeout = timeout;
    this.#agent = agent;
  }

  /** Throws `NoResponse`. */
  async ask(asked: ServerRequest): Promise<CheckedResponse> {
    try {
      return await this.#send(asked);
    } catch (error) {
      const { name, code = "failed" } = error as NodeJS.ErrnoException;
      throw new NoResponse(name === "AbortError" ? "timed_out" : code);
    }
  }

  async #send({ method, path, headers, body }: ServerRequest): Promise<CheckedResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<CheckedResponse>();
    const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
    const options = {
      method,
      agent: this.#agent,
      headers: { ...length, ...headers },
      path: this.#base.pathname.replace(/\/$/, "") + path,
      signal: AbortSignal.timeout(this.#timeout),
    };
    const request = this.#base.protocol === "https:" ? requestTls : requestPlain;
    const sending = request(this.#base, options, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("error", reject);
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > mostBytes) response.destroy(Object.assign(new Error(), { code: "too_large" }));
        else chunks.push(chunk);
      });
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode!, headers: response.headers, text, json: objectIn(text) });
      });
    });
    sending.on("error", reject);
    sending.end(body);
    return promise;
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
