import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/**
 * States of the connection to PostgreSQL. `refuse`: connections are refused. `reset`: every connection breaks.
 * `holdRequests`: requests wait until the door is open again. `holdAnswers`: the server runs the requests, and its
 * answers wait. `loseSome`: one answer in ten is lost, and its connection breaks.
 */
export type Manner = "open" | "refuse" | "reset" | "holdRequests" | "holdAnswers" | "loseSome";

interface Pair {
  inner: Socket;
  outer: Socket;
  /** The next answer of the server is lost. */
  loses?: true;
}

/** A TCP proxy before PostgreSQL that can fail as networks and servers do. */
export class PostgresDoor {
  /** The URL of the database through the proxy. */
  readonly url: string;
  readonly #beyond: URL;
  readonly #server: Server;
  readonly #port: number;
  readonly #pairs = new Set<Pair>();
  #manner: Manner = "open";
  #losing: string | undefined;
  #requests = 0;
  #lost = Promise.withResolvers<void>();
  #heard: Buffer[] | undefined;

  private constructor(server: Server, beyond: URL) {
    this.#server = server;
    this.#beyond = beyond;
    this.#port = (server.address() as AddressInfo).port;
    const own = new URL(beyond);
    own.host = `127.0.0.1:${this.#port}`;
    this.url = own.href;
    server.on("connection", (outer) => this.#admit(outer));
  }

  static async open(url: string): Promise<PostgresDoor> {
    const server = createServer({ pauseOnConnect: true }).listen(0, "127.0.0.1");
    await once(server, "listening");
    return new PostgresDoor(server, new URL(url));
  }

  async become(manner: Manner): Promise<void> {
    const before = this.#manner;
    this.#manner = manner;
    if (before === "refuse") await once(this.#server.listen(this.#port, "127.0.0.1"), "listening");
    if (manner === "refuse") this.#server.close();
    for (const pair of this.#pairs) this.#treat(pair);
  }

  /** Loses the answer to the next statement that contains `text`, and breaks its connection. Resolves afterwards. */
  async loseReplyTo(text: string): Promise<void> {
    this.#losing = text;
    this.#lost = Promise.withResolvers();
    await this.#lost.promise;
  }

  /** Records all bytes that the service sends from now on: statements with their parameters. */
  listen(): readonly Buffer[] {
    this.#heard = [];
    return this.#heard;
  }

  async close(): Promise<void> {
    await this.become("refuse");
  }

  #admit(outer: Socket): void {
    const inner = connect({ host: this.#beyond.hostname, port: Number(this.#beyond.port || 5432) });
    const pair: Pair = { inner, outer };
    this.#pairs.add(pair);
    for (const [from, to] of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      from.on("data", (bytes: Buffer) => this.#pass(pair, bytes, from === outer));
      from.on("end", () => to.end());
      from.on("error", () => to.destroy());
      from.on("close", () => this.#pairs.delete(pair));
    }
    this.#treat(pair);
  }

  #pass(pair: Pair, bytes: Buffer, isRequest: boolean): void {
    if (isRequest) this.#heard?.push(bytes);
    const isNamed = isRequest && this.#losing !== undefined && bytes.includes(this.#losing);
    if (isNamed) this.#losing = undefined;
    if (isRequest && this.#manner === "loseSome") this.#requests += 1;
    if (isNamed || (this.#manner === "loseSome" && isRequest && this.#requests % 10 === 0)) pair.loses = true;
    if (isRequest) pair.inner.write(bytes);
    else if (!pair.loses) pair.outer.write(bytes);
    else {
      pair.inner.destroy();
      pair.outer.resetAndDestroy();
      this.#lost.resolve();
    }
  }

  #treat({ inner, outer }: Pair): void {
    if (this.#manner === "refuse" || this.#manner === "reset") {
      inner.destroy();
      outer.resetAndDestroy();
      return;
    }
    if (this.#manner === "holdRequests") outer.pause();
    else outer.resume();
    if (this.#manner === "holdAnswers") inner.pause();
    else inner.resume();
  }
}
