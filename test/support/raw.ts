import { type IncomingHttpHeaders, STATUS_CODES } from "node:http";
import { connect, type Socket } from "node:net";

/** A response as read from a socket. */
export interface RawResponse {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  readonly json: ReturnType<typeof JSON.parse>;
}

/**
 * Parses the responses in a socket's bytes, in order, without informational ones. Finds the end of a body by
 * `Content-Length`.
 */
export function responsesIn(text: string): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) throw new Error(`not an HTTP answer: ${rest}`);
    const [line = "", ...lines] = rest.subarray(0, end).toString().split("\r\n");
    const [, code] = /^HTTP\/1\.1 (\d{3}) (.*)$/.exec(line) ?? [];
    if (code === undefined || !STATUS_CODES[code]) throw new Error(`not a status line: ${line}`);
    const headers: Record<string, string> = {};
    for (const header of lines) {
      const [, name = "", value = ""] = /^([^:]+):\s*(.*)$/.exec(header) ?? [];
      headers[name.toLowerCase()] = value;
    }
    const from = end + 4;
    const body = rest.subarray(from, from + Number(headers["content-length"] ?? 0)).toString();
    responses.push({
      status: Number(code),
      headers,
      text: body,
      get json() {
        return JSON.parse(body);
      },
    });
    rest = rest.subarray(from + Number(headers["content-length"] ?? 0));
  }
  return responses.filter(({ status }) => status >= 200);
}

/** A raw TCP connection, for tests that send exact bytes. */
export class Line {
  readonly #socket: Socket;
  #got = "";
  readonly closed: Promise<void>;

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.on("data", (chunk) => {
      this.#got += chunk;
    });
    this.#socket.on("error", () => undefined);
    this.closed = new Promise((resolve) => this.#socket.once("close", () => resolve()));
  }

  say(bytes: string | Buffer): void {
    this.#socket.write(bytes);
  }

  /** The responses so far. */
  get answers(): RawResponse[] {
    return responsesIn(this.#got);
  }

  /** Resolves when `count` complete responses have arrived. */
  async heard(count: number): Promise<RawResponse[]> {
    for (;;) {
      const { promise: more, resolve } = Promise.withResolvers<boolean>();
      const onData = () => resolve(true);
      const onClose = () => resolve(false);
      this.#socket.once("data", onData).once("close", onClose);
      try {
        const isWhole = /\r\n\r\n/.test(this.#got) && this.answers.length >= count && this.#isWhole();
        if (isWhole) return this.answers;
        if (this.#socket.destroyed || !(await more)) {
          if (/\r\n\r\n/.test(this.#got) && this.answers.length >= count) return this.answers;
          throw new Error(`the connection ended after: ${this.#got}`);
        }
      } finally {
        this.#socket.off("data", onData).off("close", onClose);
      }
    }
  }

  #isWhole(): boolean {
    const last = this.answers.at(-1)!;
    return Buffer.byteLength(last.text) === Number(last.headers["content-length"] ?? 0);
  }

  /** Closes our side of the connection. Resolves with all responses once the server has closed as well. */
  async finish(): Promise<RawResponse[]> {
    this.#socket.end();
    await this.closed;
    return this.answers;
  }

  end(): void {
    this.#socket.destroy();
  }
}
