import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/**
 * A proxy to a port on this machine. While the proxy is cut, no byte passes and no connection ends, as after a network
 * failure.
 */
export class Door {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  #delay = 0;

  private constructor(server: Server, beyond: number) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on("connection", (outer) => this.#admit(outer, beyond));
  }

  static async open(beyond: number): Promise<Door> {
    const server = createServer({ pauseOnConnect: true, noDelay: true }).listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Door(server, beyond);
  }

  /** Delays each piece of data by this many milliseconds from now on, in both directions. */
  delay(milliseconds: number): void {
    this.#delay = milliseconds;
  }

  cut(isCut: boolean): void {
    this.#isCut = isCut;
    for (const socket of this.#sockets) this.#treat(socket);
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #admit(outer: Socket, beyond: number): void {
    const inner = connect({ port: beyond, host: "127.0.0.1", noDelay: true });
    for (const [from, to] of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      this.#sockets.add(from);
      let passed = Promise.resolve();
      from.on("data", (bytes) => {
        const due = performance.now() + this.#delay;
        // Passes the pieces in their order, each after its delay.
        passed = passed.then(async () => {
          const left = due - performance.now();
          if (left > 0) await pause(left);
          to.write(bytes);
        });
      });
      from.on("end", () => void passed.then(() => to.end()));
      from.on("error", () => to.destroy());
      from.on("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      this.#treat(from);
    }
  }

  #treat(socket: Socket): void {
    if (this.#isCut) socket.pause();
    else socket.resume();
  }
}
