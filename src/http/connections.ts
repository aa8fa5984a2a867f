import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Log } from "../runtime/log.ts";

export interface ConnectionBounds {
  /** Connections at once; further ones are closed unanswered. */
  most: number;
  /** How long an answer may wait for its caller to read it, in milliseconds. */
  answer: number;
}

/** Bounds the connections of a server. Looks at all of them once a second, so that no request pays for a timer. */
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
  let saidAt = Number.NEGATIVE_INFINITY;
  const look = setInterval(
    () => {
      const now = performance.now();
      const connections = readers.cutSlow(now);
      if (connections > 0) log.warn({ connections }, "cut connections whose callers did not read their answers");
      if (dropped > 0 && now - saidAt >= 60_000) {
        log.warn({ most, refused: dropped }, "refused connections: as many are open as DUBA_MAX_CONNECTIONS allows");
        [dropped, saidAt] = [0, now];
      }
    },
    Math.min(1000, answer / 4),
  ).unref();
  server.once("close", () => clearInterval(look));
}

/** What this needs to know of a socket. */
export type Reader = Pick<Socket, "bytesWritten" | "writableLength" | "resetAndDestroy">;

/** What waited in a connection when it was looked at. */
interface Backlog {
  since: number;
  /** Bytes that have to leave the connection before the backlog is gone; those of the connection's life. */
  until: number;
}

/** Knows how long the answers in each connection have waited to be read. */
export class Readers {
  readonly #patience: number;
  readonly #backlogs = new Map<Reader, Backlog | null>();

  /** `patience` in milliseconds. */
  constructor(patience: number) {
    this.#patience = patience;
  }

  add(reader: Reader): void {
    this.#backlogs.set(reader, null);
  }

  delete(reader: Reader): void {
    this.#backlogs.delete(reader);
  }

  /** Cuts each connection in which the same bytes have waited too long, and gives how many it cut. */
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
      } else if (now - backlog.since >= this.#patience) {
        // A plain end would leave what the kernel holds to a caller that does not read.
        reader.resetAndDestroy();
        this.#backlogs.delete(reader);
        cut += 1;
      }
    }
    return cut;
  }
}
