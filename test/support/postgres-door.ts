import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/**
 * How the way to PostgreSQL is. `refuse`: nobody listens any more. `reset`: every connection is broken off.
 * `holdRequests`: what the service says is kept until the door is open again. `holdAnswers`: the server hears it and
 * does it, and what it says to that is kept. `loseSome`: what it says to one request in ten is lost, and that
 * connection breaks.
 */
export type Manner = "open" | "refuse" | "reset" | "holdRequests" | "holdAnswers" | "loseSome";

interface Pair {
  inner: Socket;
  outer: Socket;
  /** The next thing that the server says to it is lost. */
  loses?: true;
}

/** A way to PostgreSQL through a port of its own, which can be made to fail as networks and servers do. */
export class PostgresDoor {
  /** The URL of the same database through this door. */
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

  /**
   * Loses what the server says to the next statement whose text holds this, and breaks that connection. Resolves once
   * it did.
   */
  async loseReplyTo(text: string): Promise<void> {
    this.#losing = text;
    this.#lost = Promise.withResolvers();
    await this.#lost.promise;
  }

  /** All that the service says from now on: statements with their parameters. */
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
