import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Log } from "../../runtime/log.ts";
import { subscriberOf } from "../../runtime/network/address.ts";

export interface ConnectionBounds {
  /** The most connections at once. Further ones are closed without a response. */
  most: number;
  /**
   * The most of these connections from one address, in IPv6 from one /64 network. Proxies have no such limit, because
   * their connections are of many callers.
   */
  share?: { most: number; isProxy(address: string): boolean };
  /** Milliseconds that a response may wait for its caller to read. */
  answer: number;
}

/** Limits the connections of a server. One timer checks all of them each second, so that no request needs a timer. */
export function boundConnections(server: Server, { most, share, answer }: ConnectionBounds, log: Log): void {
  const readers = new Readers(answer);
  server.maxConnections = most;
  const held = new Map<string, number>();
  let dropped = 0;
  server.on("connection", (socket: Socket) => {
    readers.add(socket);
    socket.once("close", () => readers.delete(socket));
    const address = socket.remoteAddress ?? "";
    if (!share || share.isProxy(address)) return;
    const holder = subscriberOf(address);
    const count = (change: number) => {
      const now = (held.get(holder) ?? 0) + change;
      if (now > 0) held.set(holder, now);
      else held.delete(holder);
      return now;
    };
    socket.once("close", () => count(-1));
    if (count(1) <= share.most) return;
    dropped += 1;
    socket.destroy();
  });
  server.on("drop", () => {
    dropped += 1;
  });
  let loggedAt = Number.NEGATIVE_INFINITY;
  const look = setInterval(
    () => {
      const now = performance.now();
      const connections = readers.cutSlow(now);
      if (connections > 0) log.warn({ connections }, "cut connections whose callers did not read their answers");
      if (dropped > 0 && now - loggedAt >= 60_000) {
        const why = share ? "the console takes, or takes of one address" : "DUBA_MAX_CONNECTIONS allows";
        log.warn({ most, refused: dropped }, `refused connections: as many are open as ${why}`);
        [dropped, loggedAt] = [0, now];
      }
    },
    Math.min(1000, answer / 4),
  ).unref();
  server.once("close", () => clearInterval(look));
}

/** The members of a socket that `Readers` uses. */
export type Reader = Pick<Socket, "bytesWritten" | "writableLength" | "resetAndDestroy">;

/** Bytes that wait in a connection. */
interface Backlog {
  since: number;
  /** The backlog has been sent once the connection's total of sent bytes reaches this number. */
  until: number;
}

/** Tracks how long the responses in each connection have waited to be read. */
export class Readers {
  readonly #timeout: number;
  readonly #backlogs = new Map<Reader, Backlog | null>();

  /** `timeout` in milliseconds. */
  constructor(timeout: number) {
    this.#timeout = timeout;
  }

  add(reader: Reader): void {
    this.#backlogs.set(reader, null);
  }

  delete(reader: Reader): void {
    this.#backlogs.delete(reader);
  }

  /** Cuts each connection in which unsent bytes have waited too long. Returns the number of cut connections. */
  cutSlow(now: number): number {
    let cut = 0;
    for (const [reader, backlog] of this.#backlogs) {
      const waiting = reader.writableLength;
      if (waiting === 0) {
        if (backlog) this.#backlogs.set(reader, null);
        continue;
      }
      const written = reader.bytesWritten;
      if (!backlog || written - waiting >= backlog.until) {
        this.#backlogs.set(reader, { since: now, until: written });
      } else if (now - backlog.since >= this.#timeout) {
        // A plain end would leave the bytes in the kernel's buffer for a caller that never reads.
        reader.resetAndDestroy();
        this.#backlogs.delete(reader);
        cut += 1;
      }
    }
    return cut;
  }
}
