import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Log } from "../../runtime/log.ts";

export interface ConnectionBounds {
  /** Most connections at once; more are closed without a response. */
  most: number;
  /** How long a response may wait for its caller to read it, in milliseconds. */
  answer: number;
}

/** Bounds the connections of a server. One timer checks all of them each second, so that no request needs its own. */
export function boundConnections(server: Server, { most, answer }: ConnectionBounds, log: Log): void {
  const readers = new Readers(answer);
  server.maxConnections = most;
  server.on("connection", (socket: Socket) => {
    readers.add(socket);
    socket.once("close", () => readers.delete(socket));
  });
  let dropped = 0;
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
        log.warn({ most, refused: dropped }, "refused connections: as many are open as DUBA_MAX_CONNECTIONS allows");
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
  /** The backlog is gone once the connection has sent this many bytes over its whole life. */
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

  /** Cuts each connection in which the same bytes have waited too long. Returns how many it cut. */
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
